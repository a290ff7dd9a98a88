"""Waiting until a page has come to rest."""

from playwright.sync_api import Page, TimeoutError

WAITED_FOR = """() => ({script: document.querySelector('[data-testid=stApp]').dataset.testScriptState,
  runs: [...document.querySelectorAll('[class*=st-key-stop-]')].map(e => /st-key-[\\w-]+/.exec(e.className)[0]),
  said: [...document.querySelectorAll('[role=progressbar]')].map(e => e.innerText)})"""


def rest(page: Page, busy: str, pause: int) -> Page:
    """Wait until for ``pause`` milliseconds neither the script nor a run was under way, nor ``busy``, a JavaScript."""
    page.get_by_role("heading", level=1).wait_for()
    page.evaluate("() => { window.restsSince = undefined; }")  # a rest before what was just done is none
    try:
        page.wait_for_function(
            f"""pause => {{
              const busy = document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'notRunning' ||
                document.querySelector('[class*=st-key-stop-]') || {busy};
              if (busy) window.restsSince = undefined;
              else window.restsSince ??= performance.now();
              return !busy && performance.now() - window.restsSince > pause;
            }}""",
            arg=pause,
            timeout=90_000,
            polling=100,
        )
    except TimeoutError:
        raise AssertionError(f"the page did not come to rest: {page.evaluate(WAITED_FOR)}, {page.url}") from None
    return page
