// The focus of the keyboard. When the element that has it is removed, the browser gives it to <body>,
// and the next Tab would begin at the top of the page. It goes to the part of the page around instead.

/** The element that has the focus, and those around it. */
let path: Element[] = [];

document.addEventListener('focusin', (event) => {
  path = event.composedPath().filter((target) => target instanceof Element);
});

document.addEventListener('focusout', (event) => {
  const left = event.target as Element;
  // A click beside all controls takes the focus from an element that is still there.
  setTimeout(() => {
    if (path[0] === left && left.isConnected && document.activeElement === document.body) path = [];
  });
});

function keepFocus(): void {
  const lost = path[0];
  if (lost === undefined || lost.isConnected || document.activeElement !== document.body) return;
  const around = path.find(
    (element) => element.isConnected && element.matches('main section, main, dialog'),
  );
  const next = (around ?? document.getElementById('main')) as HTMLElement | null;
  if (next === null) return;
  if (!next.hasAttribute('tabindex')) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

new MutationObserver(keepFocus).observe(document.body, { childList: true, subtree: true });
