"""Topics: the field of knowledge of a text, by a trained model.

A *topic* is a field of knowledge (WebParF's "domain"). A text becomes the words in it, each word a
number below 2**16 by a hash, with a weight: one and the logarithm of how often it occurs, a title's
words twice, the whole scaled to length 1. A softmax over these gives every topic a probability.

    words       cuts a text into words; makes probabilities of scores
    _softmax    the same, compiled
    model       a trained model and its file
    training    makes a model from texts with topics
    changes     the places where a text changes its topic

The hash and the weights are part of a model's file: they must never change without a new format.
"""
