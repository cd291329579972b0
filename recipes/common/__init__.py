"""What the recipes share: text, audio pools, features, streaming layers, training, export."""
