// Runs in the page under test, before its own scripts. Reports the usable elements and the focus. It changes nothing.
{
  const ids = new Map();
  const elements = [];
  const idOf = (element) => {
    if (!ids.has(element)) ids.set(element, elements.push(element) - 1);
    return ids.get(element);
  };

  const NATIVE =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true], [tabindex]";
  const ROLES = [
    "button",
    "link",
    "checkbox",
    "switch",
    "tab",
    "menuitem",
    "option",
    "gridcell",
    "slider",
    "radio",
    "treeitem",
  ];
  /** Within these the arrow keys move, and one stop of Tab is enough. */
  const COMPOSITES =
    "[role=tablist], [role=grid], [role=treegrid], [role=tree], [role=radiogroup], [role=listbox], [role=menu], [role=table], [role=toolbar]";

  /** Returns the uppermost dialog or menu, or else the page. */
  const scope = () =>
    [...document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu]")].at(-1) ?? document.body;

  const isSeen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: false })) return false;
    if (element.closest("[inert], [aria-hidden=true]") !== null) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1;
  };

  /** React keeps an element's properties beside it; its listeners are all at the root. */
  const handlesPresses = (element) => {
    const key = Object.keys(element).find((name) => name.startsWith("__reactProps$"));
    const props = key === undefined ? {} : element[key];
    return ["onClick", "onMouseDown", "onPointerDown"].some((name) => typeof props[name] === "function");
  };

  const describe = (element) => {
    const role = element.computedRole || element.tagName.toLowerCase();
    const name = (element.computedName || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 80);
    return `${role} "${name}"`;
  };

  const isUsable = (element) =>
    (element.matches(NATIVE) && !element.matches("[role=tablist]")) ||
    ROLES.includes(element.getAttribute("role") ?? "");
  const isDisabled = (element) =>
    element.matches(":disabled") || (element.tabIndex < 0 && element.getAttribute("aria-disabled") === "true");

  /** Returns every visible element that a person with a mouse could use. */
  const survey = () => {
    const found = [];
    for (const element of scope().querySelectorAll("*")) {
      if (element.closest("#toasts") !== null || !isSeen(element) || isDisabled(element)) continue;
      const usable = isUsable(element);
      if (!usable && !handlesPresses(element)) continue;
      // A script puts the focus there, as on the page's main part: there is nothing to press.
      if (
        element.tabIndex < 0 &&
        !element.matches("button, a, input, select, textarea, [role]") &&
        !handlesPresses(element)
      )
        continue;
      // Rows and areas that are pressed as a whole. Their content does the same.
      const inner = [...element.querySelectorAll(NATIVE)].filter((each) => isSeen(each) && each.tabIndex >= 0);
      if (!usable && (inner.length > 0 || element.closest("label, a[href], button") !== null)) continue;
      found.push({ id: idOf(element), composite: compositeOf(element) });
    }
    return found;
  };

  const rings = (element) => {
    for (let each = element, steps = 0; each !== null && steps < 5; each = each.parentElement, steps++) {
      const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(each);
      const drawn =
        outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 && !/^rgba\(.*, 0\)$|transparent/.test(outlineColor);
      if (drawn && (each === element || each.matches(":focus-within")))
        return sidesSeen(each, parseFloat(outlineOffset)) >= 2;
    }
    return false;
  };

  /** Returns how many sides of the outline are visible: elements around it may cut it off. */
  const sidesSeen = (element, offset) => {
    const box = element.getBoundingClientRect();
    const edges = {
      top: box.top - offset,
      left: box.left - offset,
      bottom: box.bottom + offset,
      right: box.right + offset,
    };
    let sides = {
      top: edges.top >= -1,
      left: edges.left >= -1,
      bottom: edges.bottom <= innerHeight + 1,
      right: edges.right <= innerWidth + 1,
    };
    for (let each = element.parentElement; each !== null; each = each.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(each);
      if (overflowX === "visible" && overflowY === "visible") continue;
      const clip = each.getBoundingClientRect();
      sides = {
        top: sides.top && edges.top >= clip.top - 1,
        left: sides.left && edges.left >= clip.left - 1,
        bottom: sides.bottom && edges.bottom <= clip.bottom + 1,
        right: sides.right && edges.right <= clip.right + 1,
      };
      if (position === "fixed") break;
    }
    return Object.values(sides).filter(Boolean).length;
  };

  /** Returns whether some part of it is not covered (WCAG 2.2, 2.4.11). */
  const isHit = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [right, bottom] = [Math.min(left + width, innerWidth), Math.min(top + height, innerHeight)];
    const [x0, y0] = [Math.max(left, 0), Math.max(top, 0)];
    if (right <= x0 || bottom <= y0) return false;
    const at = (x, y) => document.elementFromPoint(x0 + (right - x0) * x, y0 + (bottom - y0) * y);
    const places = [
      [0.5, 0.5],
      [0.1, 0.5],
      [0.9, 0.5],
      [0.5, 0.1],
      [0.5, 0.9],
    ];
    return places.some(([x, y]) => {
      const hit = at(x, y);
      return hit !== null && (element.contains(hit) || hit.closest("label")?.control === element);
    });
  };

  /** Returns its position on the page, independent of scrolling. */
  const placeOf = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    let [x, y] = [0, 0];
    for (let each = element.parentElement; each !== null; each = each.parentElement)
      [x, y] = [x + each.scrollLeft, y + each.scrollTop];
    return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
  };

  const compositeOf = (element) => {
    if (element.matches("input[type=radio]")) return `radio ${element.name}`;
    const composite = element.closest(COMPOSITES);
    return composite === null ? null : `composite ${idOf(composite)}`;
  };

  const activeElement = () => (document.activeElement === document.body ? null : document.activeElement);

  const focused = () => {
    const element = activeElement();
    if (element === null) return null;
    return {
      what: describe(element),
      role: element.computedRole,
      name: element.computedName.trim().replace(/\s+/g, " "),
    };
  };

  /** Returns the visible facts about the focus. Names are left out, because reading them takes most of the time. */
  const stop = () => {
    const element = activeElement();
    if (element === null) return null;
    return {
      id: idOf(element),
      composite: compositeOf(element),
      region: element.closest("nav, header, main, aside, [role=dialog]")?.tagName ?? "",
      inScope: scope().contains(element),
      ring: rings(element),
      hit: isHit(element),
      place: placeOf(element),
    };
  };

  /** Returns the focused element, if it is a field for a date: Tab moves through its parts. */
  const dateField = () => {
    const element = activeElement();
    return element?.matches("input[type=date], input[type=datetime-local], input[type=time]") ? idOf(element) : null;
  };

  /** Returns the elements of `wanted` that are still visible. */
  const remaining = (wanted) =>
    survey()
      .filter(({ id }) => wanted.includes(id))
      .map(({ id }) => nameOf(id));
  const nameOf = (id) => describe(elements[id]);

  globalThis.keyboardSurvey = { survey, focused, stop, dateField, remaining, nameOf };
}
