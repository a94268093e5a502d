'use strict';
(() => {
  const DATA = JSON.parse(document.getElementById('data').textContent);
  const PAGE_ROWS = 50;
  const MOST_SVG_ROWS = 3000;
  const NARROW_PX = 480;
  const byId = (id) => document.getElementById(id);
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // Themes: the system's until the reader chooses.
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const theme = () => chosen ?? (dark.matches ? 'dark' : 'light');
  function applyTheme() {
    document.documentElement.dataset.theme = theme();
    byId('theme').setAttribute('aria-pressed', String(theme() === 'dark'));
    redraw();
  }
  byId('theme').addEventListener('click', () => {
    chosen = theme() === 'dark' ? 'light' : 'dark';
    applyTheme();
  });
  dark.addEventListener('change', applyTheme);

  // Figures.
  const drawn = new Map();
  function rowsOf(columns) {
    const names = Object.keys(columns);
    const count = names.length ? columns[names[0]].length : 0;
    return Array.from({ length: count }, (_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  }

  function specFor(name, width) {
    const { spec, data } = DATA.figures[name];
    const copy = structuredClone(DATA.specs[spec]);
    copy.datasets = Object.fromEntries(Object.entries(data).map(([key, columns]) => [key, rowsOf(columns)]));
    const { left, right, aspect } = copy.usermeta;
    const inner = Math.max(120, Math.floor(width - left - right));
    for (const part of copy.vconcat ?? [copy]) {
      part.width = inner;
      if (aspect) part.height = Math.round(inner * aspect);
    }
    copy.padding = 4;
    return copy;
  }

  function configFor(width) {
    const config = structuredClone(DATA.themes[theme()]);
    if (width < NARROW_PX) Object.assign(config.legend, { columns: 2, labelLimit: 130 });
    return config;
  }

  async function draw(box) {
    const name = box.dataset.figure;
    const target = box.querySelector('.drawing');
    const width = target.clientWidth;
    if (!name || !width || box.hidden) return;
    const turn = `${name} ${width} ${theme()}`;
    if (drawn.get(box)?.turn === turn) return;
    drawn.get(box)?.view?.finalize();
    const entry = { turn };
    drawn.set(box, entry);
    const spec = specFor(name, width);
    const count = Math.max(0, ...Object.values(spec.datasets).map((rows) => rows.length));
    const result = await window.vegaEmbed(target, spec, {
      actions: false, renderer: count > MOST_SVG_ROWS ? 'canvas' : 'svg', config: configFor(width), tooltip: { theme: theme() },
    });
    entry.view = result.view;
    const picture = target.querySelector('svg, canvas');
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', DATA.figures[name].text);
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      target.dataset.near = isIntersecting ? 'yes' : '';
      if (isIntersecting) draw(target);
    }
  }, { rootMargin: '600px' });

  function redraw() {
    document.querySelectorAll('.figure[data-near="yes"]').forEach(draw);
  }
  let waiting = 0;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 120);
  }).observe(document.body);

  function save(name, content, type) {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const link = make('a', { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  function csv(names, rows) {
    const cell = (value) => {
      const text = value === null || value === undefined ? '' : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [names, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
  }

  async function saveFigure(box, kind) {
    const name = box.dataset.figure;
    const { view } = drawn.get(box);
    if (kind === 'svg') return save(`${name}.svg`, await view.toSVG(), 'image/svg+xml');
    const picture = await view.toCanvas(2);
    return picture.toBlob((blob) => save(`${name}.png`, blob));
  }

  function fill(box, name) {
    const figure = DATA.figures[name];
    box.dataset.figure = name;
    const files = make('div', { className: 'files' });
    for (const kind of ['png', 'svg']) {
      const button = make('button', { type: 'button', textContent: kind.toUpperCase() });
      button.addEventListener('click', () => saveFigure(box, kind));
      files.append(button);
    }
    for (const [key, columns] of Object.entries(figure.data)) {
      const button = make('button', { type: 'button', textContent: `CSV: ${key}` });
      const names = Object.keys(columns);
      button.addEventListener('click', () => save(`${name}.${key}.csv`, csv(names, rowsOf(columns).map(Object.values)), 'text/csv'));
      files.append(button);
    }
    const note = figure.note ? [make('p', { className: 'note', textContent: figure.note })] : [];
    box.replaceChildren(
      make('figcaption', { textContent: figure.title }), make('div', { className: 'drawing' }), ...note, files,
    );
  }

  document.querySelectorAll('.figure[data-figure]').forEach((box) => {
    fill(box, box.dataset.figure);
    seen.observe(box);
  });

  // The figures of an application, of which one shows.
  document.querySelectorAll('.application').forEach((section) => {
    const what = section.querySelector('.what');
    if (!what) return;
    const boxes = [...section.querySelectorAll('.figure')];
    const show = () => {
      const how = section.querySelector('.how input:checked').value;
      const wanted = boxes.find((box) => box.dataset.what === what.value && box.dataset.how === how)
        ?? boxes.find((box) => box.dataset.what === what.value);
      boxes.forEach((box) => { box.hidden = box !== wanted; });
      draw(wanted);
    };
    section.querySelector('.chooser').addEventListener('change', show);
  });

  // The course of one run.
  const courses = Object.entries(DATA.courses);
  const groupChoice = byId('course-group');
  const runChoice = byId('course-run');
  function showRun() {
    const { lines, figure, film } = DATA.courses[runChoice.value];
    byId('course-lines').replaceChildren(...lines.map((line) => make('p', { textContent: line })));
    const box = byId('course-figure');
    fill(box, figure);
    drawn.delete(box);
    draw(box);
    const strip = byId('course-film');
    strip.hidden = film.length === 0;
    strip.replaceChildren(...film.map(([time, source]) => make('figure', {},
      make('img', { src: source, alt: `the screen after ${time.toFixed(2)} s` }),
      make('figcaption', { textContent: `${time.toFixed(2)} s` }))));
  }
  function showGroup(wanted) {
    const mine = courses.filter(([, course]) => course.group === groupChoice.value);
    runChoice.replaceChildren(...mine.map(([key, course]) => make('option', { value: key, textContent: `${course.standing}: ${key}` })));
    if (wanted) runChoice.value = wanted;
    showRun();
  }
  if (courses.length) {
    const groups = [...new Set(courses.map(([, course]) => course.group))];
    groupChoice.replaceChildren(...groups.map((name) => make('option', { value: name, textContent: name })));
    groupChoice.addEventListener('change', () => showGroup());
    runChoice.addEventListener('change', showRun);
    seen.observe(byId('course-figure'));
    showGroup();
  }
  function openRun(key) {
    groupChoice.value = DATA.courses[key].group;
    showGroup(key);
    byId('course').scrollIntoView();
    runChoice.focus({ preventScroll: true });
  }

  // The table of runs.
  const { columns, values } = DATA.runs;
  const count = values.label.length;
  const filters = {};
  const order = { column: null, descending: false };
  let page = 0;
  let found = [];
  const distinct = (name) => [...new Set(values[name])].filter((value) => value !== null && value !== '');
  function addFilter(name, title) {
    const options = distinct(name);
    if (options.length < 2) return;
    const choice = make('select', { id: `filter-${name}` }, make('option', { value: '', textContent: 'all' }),
      ...options.map((value) => make('option', { value, textContent: value })));
    choice.addEventListener('change', () => { filters[name] = choice.value; page = 0; showTable(); });
    byId('run-filters').append(make('label', { textContent: title }, choice));
  }
  addFilter('application', 'Application');
  addFilter('pattern', 'Pattern');
  addFilter('case', 'Case');
  addFilter('verdict', 'Status');
  const search = make('input', { type: 'search', id: 'filter-text', placeholder: 'any text' });
  search.addEventListener('input', () => { page = 0; showTable(); });
  byId('run-filters').append(make('label', { textContent: 'Search' }, search));

  function shownColumns() {
    const only = filters.application || (distinct('application').length === 1 ? values.application[0] : null);
    return columns.filter(([name, , , application]) => (!application || application === only)
      && (application || name === 'label' || distinct(name).length > 1 || ['duration_s', 'pattern'].includes(name)));
  }
  function select() {
    const text = search.value.toLowerCase();
    const texts = ['label', 'application', 'pattern', 'case', 'verdict', 'because'];
    found = [];
    for (let i = 0; i < count; i += 1) {
      if (Object.entries(filters).some(([name, wanted]) => wanted && String(values[name][i]) !== wanted)) continue;
      if (text && !texts.some((name) => String(values[name][i] ?? '').toLowerCase().includes(text))) continue;
      found.push(i);
    }
    if (order.column) {
      const by = values[order.column];
      const sign = order.descending ? -1 : 1;
      const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));
      // Missing values come last, whichever the order.
      found.sort((i, j) => (by[i] === null) - (by[j] === null) || sign * compare(by[i], by[j]) || i - j);
    }
  }
  const shownValue = (value, isNumber) => (value === null ? '-' : isNumber ? Number(value.toPrecision(4)).toString() : String(value));
  function showTable() {
    select();
    const shown = shownColumns();
    const head = shown.map(([name, title, isNumber]) => {
      const cell = make('th', { scope: 'col', className: isNumber ? 'right' : '' });
      const button = make('button', { type: 'button', textContent: title });
      button.dataset.column = name;
      if (order.column === name) cell.setAttribute('aria-sort', order.descending ? 'descending' : 'ascending');
      cell.append(button);
      return cell;
    });
    const focus = document.activeElement?.dataset?.column;
    byId('run-table').tHead.replaceChildren(make('tr', {}, ...head));
    if (focus) byId('run-table').tHead.querySelector(`[data-column="${CSS.escape(focus)}"]`)?.focus();
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    page = Math.min(page, pages - 1);
    byId('run-table').tBodies[0].replaceChildren(...found.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS).map((i) => {
      const cells = shown.map(([name, , isNumber]) => {
        const cell = make('td', { className: isNumber ? 'right' : '' });
        const key = values.label[i];
        if (name === 'label' && DATA.courses[key]) {
          const button = make('button', { type: 'button', textContent: key, title: 'show this run over time' });
          button.addEventListener('click', () => openRun(key));
          cell.append(button);
        } else {
          cell.textContent = shownValue(values[name][i], isNumber);
          if (name === 'verdict' && values.because[i]) cell.append(make('small', { textContent: ` ${values.because[i]}` }));
        }
        return cell;
      });
      return make('tr', {}, ...cells);
    }));
    byId('run-count').textContent = `${found.length} of ${count} runs`;
    byId('run-page').textContent = `page ${page + 1} of ${pages}`;
    byId('run-before').disabled = page === 0;
    byId('run-after').disabled = page >= pages - 1;
  }
  byId('run-table').tHead.addEventListener('click', (event) => {
    const name = event.target.closest('button')?.dataset.column;
    if (!name) return;
    order.descending = order.column === name && !order.descending;
    order.column = name;
    page = 0;
    showTable();
  });
  byId('run-before').addEventListener('click', () => { page -= 1; showTable(); });
  byId('run-after').addEventListener('click', () => { page += 1; showTable(); });
  byId('run-csv').addEventListener('click', () => {
    const shown = shownColumns();
    save('runs.csv', csv(shown.map(([, title]) => title), found.map((i) => shown.map(([name]) => values[name][i]))), 'text/csv');
  });
  showTable();
  applyTheme();
})();
