"""Notebooks: cells, completion, and the examples, executed."""

import sys
from pathlib import Path

import arr
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples/python").glob("*.ipynb"))


def test_there_are_examples():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_examples(path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    client.create_kernel_manager()
    client.km.kernel_cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    client.execute()
    raised = [cell for cell in notebook.cells if "raises-exception" in cell.metadata.get("tags", [])]
    assert raised, "an example shows a mistake and its message"
    for cell in raised:
        assert any(output.output_type == "error" for output in cell.outputs)


@pytest.fixture
def shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell.instance()
    made.run_cell("%load_ext arr")
    yield made
    interactive.InteractiveShell.clear_instance()


def test_cells(shell):
    done = shell.run_cell("%%arr model threads=1\ndef f(x: f64) -> f64 = x * x")
    assert done.success and isinstance(shell.user_ns["model"], arr.Module)
    assert shell.run_cell("model.f.grad(3.0)").result == 6.0
    done = shell.run_cell("%%arr wrong\ndef f(x: f64) -> f64 = y")
    assert isinstance(done.error_in_exec, arr.CompileError)
    assert "wrong.arr:1:" in str(done.error_in_exec)
    assert not shell.run_cell("%%arr\ndef f(x: f64) -> f64 = x").success


def test_completion(shell):
    shell.run_cell("%%arr model\ndef energy(x: f64) -> f64 = x\ntype Point = { x: f64 }")
    # Completion by looking at values, as a kernel does with names that exist.
    shell.Completer.use_jedi = False
    _, found = shell.complete("model.en")
    assert any(name.endswith("energy") for name in found)
    _, found = shell.complete("model.Po")
    assert any(name.endswith("Point") for name in found)
