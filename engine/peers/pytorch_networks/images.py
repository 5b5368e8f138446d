"""The networks of 2017 for images: a perceptron and two convolutional networks."""
from torch import nn
from torch.nn.functional import max_pool2d, relu

from .network import ADADELTA, RMSPROP, Drop, Network, gain
from .samples import Images


class Mlp2017(Network):
    optimizer, lr = RMSPROP, 1e-3

    def __init__(self, batch):
        super().__init__()
        self.samples = Images(batch, (784,))
        self.fc1, self.fc2, self.fc3 = nn.Linear(784, 512), nn.Linear(512, 512), nn.Linear(512, 10)
        self.drop1 = Drop("dropout1", 0.2, (batch, 512))
        self.drop2 = Drop("dropout2", 0.2, (batch, 512))

    def scale(self, name, shape):
        if name.endswith(".bias"):
            return 0.1, 0.0
        return gain(1 if name == "fc3.weight" else 6, shape), 0.0

    def forward(self, x):
        x = self.drop1(relu(self.fc1(x)))
        return self.fc3(self.drop2(relu(self.fc2(x))))


class _Convolutional(Network):
    has_images = True

    def scale(self, name, shape):
        if name.endswith(".bias"):
            return 0.1, 0.0
        return gain(1 if name == "fc2.weight" else 3, shape), 0.0


class Cnn2017(_Convolutional):
    optimizer, lr = ADADELTA, 1.0

    def __init__(self, batch):
        super().__init__()
        self.samples = Images(batch, (1, 28, 28))
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.fc1, self.fc2 = nn.Linear(64 * 12 * 12, 128), nn.Linear(128, 10)
        self.drop1 = Drop("dropout1", 0.25, (batch, 64, 12, 12))
        self.drop2 = Drop("dropout2", 0.5, (batch, 128))

    def forward(self, x):
        x = max_pool2d(relu(self.conv2(relu(self.conv1(x)))), 2)
        x = relu(self.fc1(self.drop1(x).flatten(1)))
        return self.fc2(self.drop2(x))


class Cifar2017(_Convolutional):
    optimizer, lr, lr_decay = RMSPROP, 1e-4, 1e-6

    def __init__(self, batch):
        super().__init__()
        self.samples = Images(batch, (3, 32, 32))
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 32, 3)
        self.conv3, self.conv4 = nn.Conv2d(32, 64, 3, padding=1), nn.Conv2d(64, 64, 3)
        self.fc1, self.fc2 = nn.Linear(64 * 6 * 6, 512), nn.Linear(512, 10)
        self.drop1 = Drop("dropout1", 0.25, (batch, 32, 15, 15))
        self.drop2 = Drop("dropout2", 0.25, (batch, 64, 6, 6))
        self.drop3 = Drop("dropout3", 0.5, (batch, 512))

    def forward(self, x):
        x = self.drop1(max_pool2d(relu(self.conv2(relu(self.conv1(x)))), 2))
        x = self.drop2(max_pool2d(relu(self.conv4(relu(self.conv3(x)))), 2))
        return self.fc2(self.drop3(relu(self.fc1(x.flatten(1)))))
