"""The text generators of 2017: LSTMs that say which character comes next."""
from torch import nn
from torch.nn.functional import one_hot, relu

from .network import ADAM, RMSPROP, Network, gain, lstm_scale
from .samples import Characters

LENGTH, VOCABULARY, CELLS = 40, 57, 128


class Lstm2017(Network):
    optimizer, lr = RMSPROP, 1e-2

    def __init__(self, batch):
        super().__init__()
        self.samples = Characters(batch, LENGTH, VOCABULARY)
        self.lstm = nn.LSTM(VOCABULARY, CELLS, batch_first=True)
        self.fc = nn.Linear(CELLS, VOCABULARY)

    def scale(self, name, shape):
        if name.startswith("lstm."):
            return lstm_scale(name, CELLS)
        return (0.1, 0.0) if name.endswith(".bias") else (gain(1, shape), 0.0)

    def forward(self, text):
        letters = one_hot(text, VOCABULARY).to(self.fc.weight.dtype)
        return self.fc(self.lstm(letters)[1][0][0])


class Textgen2017(Network):
    """Two losses: the loss of its second output, from the LSTM alone, counts a fifth."""
    optimizer, lr, lr_decay = ADAM, 1e-3, 1e-4

    def __init__(self, batch):
        super().__init__()
        self.samples = Characters(batch, LENGTH, VOCABULARY)
        self.embedding = nn.Embedding(VOCABULARY, 300)
        self.lstm = nn.LSTM(300, CELLS, batch_first=True)
        self.aux, self.main = nn.Linear(CELLS, VOCABULARY), nn.Linear(256, VOCABULARY)
        self.fc1, self.fc2 = nn.Linear(CELLS, 512, bias=False), nn.Linear(512, 256, bias=False)
        self.bn1 = nn.BatchNorm1d(512, eps=1e-3, momentum=0.01)
        self.bn2 = nn.BatchNorm1d(256, eps=1e-3, momentum=0.01)

    def scale(self, name, shape):
        if name.startswith("lstm."):
            return lstm_scale(name, CELLS)
        if name == "embedding.weight":
            return 1.0, 0.0
        if name.startswith("bn"):
            return 0.1, 1.0 if name.endswith(".weight") else 0.0
        if name.endswith(".bias"):
            return 0.1, 0.0
        return gain(6 if name.startswith("fc") else 1, shape), 0.0

    def forward(self, text):
        state = self.lstm(self.embedding(text))[1][0][0]
        x = relu(self.bn1(self.fc1(state)))
        return self.main(relu(self.bn2(self.fc2(x)))), self.aux(state)

    def loss(self, logits, targets):
        main, aux = logits
        return super().loss(main, targets) + 0.2 * super().loss(aux, targets)
