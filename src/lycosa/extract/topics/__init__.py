"""Topics: what field of knowledge a text is about, by a model that was trained before.

A *topic* is a field of knowledge (WebParF's "domain"). A text becomes the words in it, each word a
number below 2**16 by a hash, with a weight: one and the logarithm of how often it occurs, a title's
words twice, the whole scaled to length 1. A softmax over these gives every topic a probability.

    words       how a text becomes words, and a softmax over them, in plain Python
    _softmax    the same, compiled
    model       a trained model and its file
    training    makes a model from texts with topics
    changes     where a text goes over from one topic to another

The hash and the weights are part of a model's file: they must never change without a new format.
"""
