"""Result pages in the form that search services have, written for these tests."""

DUCKDUCKGO = """<html><body><div class="results">
<div class="links_main result__body">
  <h2 class="result__title"><a href="https://example.org/trays?a=1&amp;b=2">Status icons &amp; trays</a></h2>
  <a class="result__snippet" href="https://example.org/trays?a=1&amp;b=2">How programs put an
  icon into the <b>tray</b>.</a>
</div>
<div class="links_main result__body">
  <h2 class="result__title"><a href="https://duckduckgo.com/y.js?ad=1">Buy icons</a></h2>
  <a class="result__snippet" href="https://duckduckgo.com/y.js?ad=1">An advertisement.</a>
</div>
<div class="links_main result__body">
  <h2 class="result__title"><a href="https://example.com/second">Second</a></h2>
  <a class="result__snippet" href="https://example.com/second">More about it.</a>
</div>
</div></body></html>"""

MOJEEK = """<html><body><ul class="results-standard">
<li><h2><a href="https://example.net/">From the second service</a></h2><p class="s">Something.</p></li>
</ul></body></html>"""

EMPTY = "<html><body><form>Please prove that you are a person.</form></body></html>"
