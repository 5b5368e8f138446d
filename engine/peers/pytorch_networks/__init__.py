"""What pytorch_engine.py trains: the networks of engine/train in PyTorch, from the same bits
(../recipe.py). Import it after the variables are set that PyTorch reads once."""
from .characters import Lstm2017, Textgen2017
from .gpt2 import Gpt2
from .images import Cifar2017, Cnn2017, Mlp2017
from .network import optimizer_of  # noqa: F401: for the engine, as the next ones
from .resnet50 import make_images, make_resnet50  # noqa: F401
from .reviews import Bilstm2017, Fasttext2017

# All but ResNet-50, which resnet50.py makes: each is called with the samples of a batch.
NETWORKS = {
    "mlp2017": Mlp2017, "cnn2017": Cnn2017, "cifar2017": Cifar2017,
    "fasttext2017": lambda batch: Fasttext2017(batch, 1200000),
    "fasttext2017_unigrams": lambda batch: Fasttext2017(batch, 20000),
    "bilstm2017": Bilstm2017, "lstm2017": Lstm2017, "textgen2017": Textgen2017,
    "gpt2": lambda batch: Gpt2(batch, 12, 12, 768, 50257, 1024, 64, 1e-4),
    "gpt2_tiny": lambda batch: Gpt2(batch, 2, 2, 64, 256, 64, 32, 1e-3),
}
