"""What ``cosyvoice doctor`` looks at, one file for each subject.

Every reader takes the root of the file system, so that tests can show it another machine. Nothing is ever changed.
"""
