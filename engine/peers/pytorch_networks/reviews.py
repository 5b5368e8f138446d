"""The networks of 2017 for reviews: fastText and a bidirectional LSTM, one logit each."""
import torch
from torch import nn

from .network import ADAM, BinaryNetwork, Drop, gain, lstm_scale
from .samples import Reviews


class _Reviewer(BinaryNetwork):
    optimizer, lr = ADAM, 1e-3

    def scale(self, name, shape):
        if name == "embedding.weight":
            return 1.0, 0.0
        return (0.1, 1.0) if name == "fc.bias" else (gain(1, shape), 0.0)


class Fasttext2017(_Reviewer):
    """The mean of the embeddings of 400 words or bigrams."""

    def __init__(self, batch, vocabulary):
        super().__init__()
        self.samples = Reviews(batch, 400, vocabulary)
        self.embedding, self.fc = nn.Embedding(vocabulary, 50), nn.Linear(50, 1)

    def forward(self, words):
        return self.fc(self.embedding(words).mean(1))


class Bilstm2017(_Reviewer):
    """The last state of each direction, of 100 words."""

    def __init__(self, batch):
        super().__init__()
        self.samples = Reviews(batch, 100, 20000)
        self.embedding = nn.Embedding(20000, 128)
        self.lstm = nn.LSTM(128, 64, batch_first=True, bidirectional=True)
        self.drop1, self.fc = Drop("dropout1", 0.5, (batch, 128)), nn.Linear(128, 1)

    def scale(self, name, shape):
        return lstm_scale(name, 64) if name.startswith("lstm.") else super().scale(name, shape)

    def forward(self, words):
        states = self.lstm(self.embedding(words))[1][0]
        return self.fc(self.drop1(torch.cat((states[0], states[1]), 1)))
