"""ResNet-50 v1.5: torchvision's where it is installed, else our own."""
import collections
import sys

import recipe
import torch


def fill_resnet50(model, seed):
    """The names of its parameters are torchvision's, and the recipe's."""
    for name, parameter in model.named_parameters():
        recipe.resnet50_fill(torch, parameter.detach().view(-1), name, parameter.shape, seed)


def own_resnet50():
    """ResNet-50 v1.5 in plain torch.nn, with torchvision's names: where torchvision is absent."""
    nn = torch.nn

    def conv(inputs, outputs, kernel=1, stride=1):
        return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)

    class Bottleneck(nn.Module):
        def __init__(self, inputs, middle, stride):
            super().__init__()
            outputs, self.relu, self.downsample = 4 * middle, nn.ReLU(inplace=True), None
            self.conv1, self.bn1 = conv(inputs, middle), nn.BatchNorm2d(middle)
            self.conv2, self.bn2 = conv(middle, middle, 3, stride), nn.BatchNorm2d(middle)
            self.conv3, self.bn3 = conv(middle, outputs), nn.BatchNorm2d(outputs)
            if inputs != outputs:
                self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride),
                                                nn.BatchNorm2d(outputs))

        def forward(self, x):
            shortcut = x if self.downsample is None else self.downsample(x)
            x = self.relu(self.bn1(self.conv1(x)))
            x = self.relu(self.bn2(self.conv2(x)))
            return self.relu(self.bn3(self.conv3(x)) + shortcut)

    parts, inputs = {"conv1": conv(3, 64, 7, 2), "bn1": nn.BatchNorm2d(64),
                     "relu": nn.ReLU(inplace=True), "maxpool": nn.MaxPool2d(3, 2, 1)}, 64
    for number, blocks in enumerate(recipe.BLOCKS):
        middle, layer = 64 << number, nn.Sequential()
        for block in range(blocks):
            layer.append(Bottleneck(inputs, middle, 2 if block == 0 < number else 1))
            inputs = 4 * middle
        parts[f"layer{number + 1}"] = layer
    parts.update(avgpool=nn.AdaptiveAvgPool2d(1), flatten=nn.Flatten(),
                 fc=nn.Linear(inputs, recipe.CLASSES))
    return nn.Sequential(collections.OrderedDict(parts))


def make_images(seed, batch):
    """Images for ResNet-50 as they come: f32, NCHW."""
    images = torch.empty(batch, 3, recipe.IMAGE, recipe.IMAGE)
    recipe.resnet50_fill(torch, images.view(-1), "images", images.shape, seed)
    return images


def make_resnet50(seed):
    """(model, whose it is)"""
    try:
        import torchvision
        model, whose = torchvision.models.resnet50(weights=None), \
            f"torchvision {torchvision.__version__}"
    except Exception as problem:  # one that does not fit this PyTorch raises anything
        print(f"without torchvision: {problem}", file=sys.stderr)
        model, whose = own_resnet50(), "own ResNet-50"
    fill_resnet50(model, seed)
    return model, whose
