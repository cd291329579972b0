# A model of your own recordings, from manifests to a bundle. Each step leaves a stamp and is done once; training goes on
# from its last checkpoint. Features are computed while batches are drawn.
#
#   CORPUS   manifests to train on; without, the recipe's own data
#   DEV      manifests to evaluate on; without, utterances of the pools whose texts were held out
#   NAME     of the model, and of its folder below CACHE        VERSION   of the bundle: it must rise for a swap
#   NETWORK  en or en-lite                                      RECIPE    language, tokens, hours, the data without CORPUS
#   HOURS    of training; without, as the recipe says
#   START    a bundle to go on from, in whose pieces words are written; START= begins with WHISPER and
#            new pieces: en with its encoder, en-lite with nothing and what WHISPER says of each frame

NETWORK ?= en
NAME    ?= my-$(NETWORK)
RECIPE  ?= en/recipe.yaml
START   ?= ../$(MODELS)/$(NETWORK)
VERSION ?= 2
NOTES   ?= Made with recipes/model.mk from $(or $(CORPUS),the recipe's data)

MODULE    := $(subst -,_,$(NETWORK))
WORK      := $(CACHE)/models/$(NAME)
STAMPS    := $(WORK)/stamps
CORPORA   := $(abspath $(CORPUS))
DEV_SETS  := $(abspath $(DEV))
BEGIN     := $(abspath $(START))
MY_TOKENS := $(if $(BEGIN),$(BEGIN)/tokens.txt,$(WORK)/tokens.model)
MY_START  := $(if $(BEGIN),--weights $(WORK)/start.pt,$(if $(filter en,$(NETWORK)),--whisper $(WHISPER)/model.bin))
MY_LESSON := $(if $(BEGIN),,$(filter en-lite,$(NETWORK)))
MY_POOLS   = $(notdir $(basename $(wildcard $(WORK)/pool/*.pcm)))
MY_SETS    = $(if $(DEV_SETS),--manifests $(DEV_SETS),--pool $(WORK)/pool --names $(MY_POOLS))
DONE       = mkdir -p $(STAMPS) && touch $@

ifneq ($(filter model,$(MAKECMDGOALS)),)
$(foreach one,$(CORPORA) $(DEV_SETS) $(abspath $(RECIPE)) $(BEGIN:%=%/model.yaml),$(if $(wildcard $(one)),,\
    $(error $(one) is not there; look at CORPUS, DEV, RECIPE and START)))
endif

.PHONY: model
.DELETE_ON_ERROR:

model: $(STAMPS)/evaluate
	@echo "the bundle: $(WORK)/bundle"
	@cat $(WORK)/evaluation.txt

$(STAMPS)/recipe: $(abspath $(RECIPE)) $(CORPORA)
	$(if $(CORPORA),$(RUN) recipes.adapt $(abspath $(RECIPE)) --corpus $(CORPORA) --out $(WORK)/recipe.yaml \
	    $(if $(DEV_SETS),--dev $(DEV_SETS)) $(if $(HOURS),--hours $(HOURS)),\
	    mkdir -p $(WORK) && cp $(abspath $(RECIPE)) $(WORK)/recipe.yaml)
	$(DONE)

$(STAMPS)/data: $(STAMPS)/recipe
	$(RUN) recipes.data $(WORK)/recipe.yaml --tokens $(MY_TOKENS) --pool $(WORK)/pool
	$(DONE)

$(STAMPS)/start:
	$(if $(BEGIN),$(RUN) recipes.$(MODULE).published --bundle $(BEGIN) --weights $(WORK)/start.pt)
	$(DONE)

$(STAMPS)/lesson: $(STAMPS)/data
	$(if $(MY_LESSON),$(RUN) recipes.common.teacher --whisper $(WHISPER)/model.bin --pool $(WORK)/pool)
	$(DONE)

$(STAMPS)/train: $(STAMPS)/data $(STAMPS)/start $(STAMPS)/lesson
	$(RUN) recipes.$(MODULE).train --recipe $(WORK)/recipe.yaml $(MY_START) --tokens $(MY_TOKENS) \
	    --pool $(WORK)/pool --checkpoints $(WORK)/run
	$(DONE)

$(STAMPS)/export: $(STAMPS)/train
	$(RUN) recipes.$(MODULE).export --weights $(WORK)/run/last.pt --tokens $(MY_TOKENS) --bundle $(WORK)/bundle \
	    --name $(NAME) --version $(VERSION) --notes "$(NOTES)"
	$(DONE)

$(STAMPS)/evaluate: $(STAMPS)/export $(DEV_SETS)
	$(RUN) recipes.$(MODULE).evaluate --weights $(WORK)/run/last.pt --tokens $(MY_TOKENS) $(MY_SETS) \
	    > $(WORK)/evaluation.new
	mv $(WORK)/evaluation.new $(WORK)/evaluation.txt
	$(DONE)
