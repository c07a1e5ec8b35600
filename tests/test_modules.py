"""What is fetched once: named by what is in it, packed, kept for good, and refused by any other name."""

import gzip
import json
import urllib.error
import urllib.request

import pytest

from ui.frame import PAGE_CSS
from ui.joiner import lean
from ui.modules import FOLDER, MOST_DATA, Left, address_of, kept, served
from ui.stage.component import STAGE_JS


def fetch(url: str, **headers: str) -> tuple[dict[str, str], bytes]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
        return dict(answer.headers), answer.read()


def test_a_script_is_served_whole_packed_and_for_good(server_url: str) -> None:
    # The name holds the content's digest, so the server that was started beside has the same.
    address = f"{server_url}{address_of(PAGE_CSS)}"
    headers, plain = fetch(address)
    assert plain == kept(PAGE_CSS) and b"--tw-page" in plain
    assert headers["content-type"].startswith("text/css")
    assert "immutable" in headers["cache-control"]
    headers, packed = fetch(address, **{"Accept-Encoding": "gzip"})
    assert headers["content-encoding"] == "gzip" and gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2
    _, index = fetch(server_url)
    assert f'<link rel="stylesheet" href="{address_of(PAGE_CSS)}">'.encode() in index


def test_a_script_is_lean_and_another_text_has_another_name() -> None:
    assert kept(served("probe", f"// why\n{STAGE_JS}")).decode() == lean(STAGE_JS)
    one, other = served("probe", "export default 1;"), served("probe", "export default 2;")
    assert one != other and one == served("probe", "export default 1;")


def test_data_are_left_by_content_and_the_oldest_go_first() -> None:
    first = Left("probe", {"number": -1})
    name = first.given()["from"].split("/")[-1]
    assert first.given() == Left("probe", {"number": -1}).given() == {"from": address_of(name)}
    assert json.loads(kept(name)) == {"number": -1}
    others = [Left("probe", {"number": number}) for number in range(MOST_DATA)]
    for other in others[:-1]:
        other.given()
    assert json.loads(kept(name)) == {"number": -1}
    others[-1].given()
    with pytest.raises(KeyError):
        kept(name)
    # The next run that names it leaves it again.
    first.given()
    assert json.loads(kept(name)) == {"number": -1}
    with pytest.raises(ValueError, match="JSON"):
        Left("probe", {"number": float("nan")})


@pytest.mark.parametrize("name", ["stage-0000000000000000.js", "stage.js", "..%2fapp.py", "%2e%2e/app.py"])
def test_no_other_file_is_served(server_url: str, name: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{server_url}/{FOLDER}/{name}")
    refused.value.close()
    # A path trick does not even reach the route.
    assert refused.value.code == (400 if "app.py" in name else 404)
