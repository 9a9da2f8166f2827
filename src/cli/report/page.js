
"use strict";
(() => {
  const form = document.getElementById("filters");
  const body = document.querySelector("#table tbody");
  const rows = Array.from(body.rows);
  const notes = new Map(Array.from(document.querySelectorAll(".note"), note => [note.dataset.nest, note]));
  const articles = Array.from(document.querySelectorAll(".source"));
  const links = new Map(Array.from(document.querySelectorAll(".files a"), link => [link.hash, link.parentElement]));
  const states = Array.from(form.querySelectorAll("[data-state]"));
  const [reason, file, text] = ["reason", "file", "text"].map(id => document.getElementById(id));
  const words = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

  // A telephone's rows are no table by their looks, and have to say that they are one.
  const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
  for (const one of document.querySelectorAll("#table, #table :is(thead, tbody, tr, td, th)")) {
    one.setAttribute("role", roles[one.tagName] ?? (one.scope === "col" ? "columnheader" : "rowheader"));
  }

  // Rows, and what is said under the lines of sources, are there if all filters let them be.
  function filter() {
    const state = states.find(button => button.getAttribute("aria-pressed") === "true").dataset.state;
    const wanted = text.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const shown = (!state || row.className === state) && (!file.value || row.dataset.file === file.value)
        && (!reason.value || row.querySelector(".reason").textContent === reason.value)
        && (!wanted || words.get(row).includes(wanted));
      row.hidden = !shown;
      const note = notes.get(row.dataset.nest);
      if (note) note.hidden = !shown;
      count += shown;
    }
    for (const article of articles) {
      const shown = article.querySelector(".note:not([hidden])") !== null;
      article.hidden = !shown;
      links.get("#source-" + article.dataset.source).hidden = !shown;
    }
    const all = rows.length;
    document.getElementById("count").textContent = count === all ? `${all} nest${all === 1 ? "" : "s"}` : `${count} of ${all} nests`;
  }

  // The order that the page comes in is the one by state.
  const first = new Map(rows.map((row, place) => [row, place]));
  const heads = Array.from(document.querySelectorAll("#table thead th"));
  function key(row, column, by) {
    if (by === "order") return first.get(row);
    const cell = row.cells[column];
    return by === "number" ? Number(cell.dataset.value || -1) : cell.textContent;
  }
  function sort(column, direction) {
    const by = heads[column].dataset.by;
    const sign = direction === "ascending" ? 1 : -1;
    const compare = (a, b) => by === "text" ? a.localeCompare(b) : a - b;
    rows.sort((a, b) => sign * compare(key(a, column, by), key(b, column, by)) || first.get(a) - first.get(b));
    body.append(...rows);
    heads.forEach((head, place) => place === column ? head.setAttribute("aria-sort", direction) : head.removeAttribute("aria-sort"));
  }
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const largest = head.dataset.by === "number" ? "descending" : "ascending";
      const other = largest === "ascending" ? "descending" : "ascending";
      sort(column, head.getAttribute("aria-sort") === largest ? other : largest);
    });
  });

  states.forEach(button => button.addEventListener("click", () => {
    states.forEach(other => other.setAttribute("aria-pressed", String(other === button)));
    filter();
  }));
  [reason, file].forEach(choice => choice.addEventListener("change", filter));
  text.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  form.hidden = false;
  // Browsers bring back what was typed before.
  filter();
})();
