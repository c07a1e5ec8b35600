"""The components' scripts: fetched once, named by what is in them, and refused by any other name."""

import gzip
import re
import urllib.error
import urllib.request

import pytest

from ui.modules import FOLDER, served
from ui.stage.component import STAGE_JS


def address_of(loader: str) -> str:
    found = re.search(rf'"/({FOLDER}/[a-z]+-[0-9a-f]{{16}}\.js)"', loader)
    assert found, loader
    return found[1]


def fetch(url: str, **headers: str) -> tuple[dict[str, str], bytes]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
        return dict(answer.headers), answer.read()


def test_the_stages_script_is_served_whole_packed_and_for_good(server_url: str) -> None:
    address = f"{server_url}/{address_of(served('stage', STAGE_JS))}"
    headers, plain = fetch(address)
    assert plain.decode() == STAGE_JS
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
    headers, packed = fetch(address, **{"Accept-Encoding": "gzip"})
    assert headers["content-encoding"] == "gzip" and gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 3


def test_another_text_has_another_name() -> None:
    one, other = served("probe", "export default 1;"), served("probe", "export default 2;")
    assert address_of(one) != address_of(other)
    assert one == served("probe", "export default 1;")


@pytest.mark.parametrize("name", ["stage-0000000000000000.js", "stage.js", "..%2fapp.py", "%2e%2e/app.py"])
def test_no_other_file_is_served(server_url: str, name: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{server_url}/{FOLDER}/{name}")
    refused.value.close()
    # A path trick does not even reach the route.
    assert refused.value.code == (400 if "app.py" in name else 404)
