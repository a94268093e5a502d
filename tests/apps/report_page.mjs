// Opens a report page and prints what is on it as JSON: node report_page.mjs LOADER MODULES BROWSER FILE WIDTH THEME [PICTURE]
const [loader, modules, browserPath, file, width, theme, picture] = process.argv.slice(2);
const { loadModule } = await import(loader);
const puppeteer = await loadModule(modules, 'puppeteer-core');
const browser = await puppeteer.launch({ executablePath: browserPath, headless: 'shell', pipe: true, args: ['--no-sandbox', '--disable-gpu'] });
const found = { messages: [], requests: [] };
try {
  const page = await browser.newPage();
  page.on('console', (message) => found.messages.push(message.text()));
  page.on('pageerror', (error) => found.messages.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) found.requests.push(request.url());
  });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.setViewport({ width: Number(width), height: 900 });
  await page.goto(`file://${file}`, { waitUntil: 'load' });
  const drawn = (selector) => page.waitForFunction((wanted) => {
    const picture = document.querySelector(`${wanted} .drawing > svg, ${wanted} .drawing > canvas`);
    return picture && (picture.tagName === 'CANVAS' || picture.querySelectorAll('path').length > 5);
  }, { timeout: 20000 }, selector);

  const titles = await page.$$eval('.figure[data-figure]:not([hidden])', (boxes) => boxes.map((box) => box.dataset.figure));
  found.figures = [];
  for (const name of titles) {
    const selector = `.figure[data-figure="${name}"]`;
    await page.$eval(selector, (box) => {
      for (let each = box.parentElement; each; each = each.parentElement) if (each.tagName === 'DETAILS') each.open = true;
      box.scrollIntoView();
    });
    await drawn(selector);
    found.figures.push(await page.$eval(`${selector} .drawing`, (box, name) => {
      const picture = box.querySelector('svg, canvas');
      return { name, width: picture.getBoundingClientRect().width, room: box.clientWidth, label: picture.getAttribute('aria-label') };
    }, name));
  }

  found.wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  found.background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  found.sections = await page.$$eval('main h2', (heads) => heads.map((head) => head.textContent));

  // Another metric, and the other form of the figure, by keyboard.
  await page.focus('.application .what');
  await page.keyboard.press('ArrowDown');
  const second = await page.$eval('.application .figure:not([hidden])', (box) => box.dataset.figure);
  await page.focus('.application .how input:checked');
  await page.keyboard.press('ArrowRight');
  found.chosen = [second, await page.$eval('.application .figure:not([hidden])', (box) => box.dataset.figure)];
  await drawn('.application .figure:not([hidden])');

  // Filters, order and pages of the table of runs.
  const rows = () => page.$$eval('#run-table tbody tr', (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const count = () => page.$eval('#run-count', (line) => line.textContent);
  found.runs = { all: await count(), filters: await page.$$eval('#run-filters select', (all) => all.map((each) => each.id)) };
  if (await page.$('#filter-case')) {
    await page.select('#filter-case', await page.$eval('#filter-case option:nth-child(2)', (option) => option.value));
    found.runs.one_case = await count();
    await page.select('#filter-case', '');
  }
  await page.focus('#run-table th button[data-column="duration_s"]');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  found.runs.sorted = await page.$eval('#run-table th[aria-sort]', (cell) => cell.getAttribute('aria-sort'));
  found.runs.first = (await rows()).slice(0, 3);
  found.runs.shown = (await rows()).length;
  await page.type('#filter-text', 'no such text');
  found.runs.none = await count();
  await page.$eval('#filter-text', (input) => { input.value = ''; input.dispatchEvent(new Event('input')); });

  // A run over time, chosen from the table.
  const button = await page.$('#run-table tbody button');
  if (button) {
    const key = await button.evaluate((each) => each.textContent);
    await button.focus();
    await page.keyboard.press('Enter');
    await drawn('#course-figure');
    found.course = { wanted: key, shown: await page.$eval('#course-run', (choice) => choice.value) };
  }
  found.films = await page.evaluate(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    return Object.values(data.courses).filter((course) => course.film.length).length;
  });

  // The switch of themes.
  await page.click('#theme');
  found.switched = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click('#theme');

  // Every form of a figure: what the buttons save, and what the browser would print.
  await page.evaluate(() => {
    window.saved = [];
    URL.createObjectURL = (blob) => { window.saved.push(blob); return 'data:,'; };
    window.print = () => { window.printed = true; };
  });
  const first = '#section-1 .figure:not([hidden])';
  for (const button of await page.$$(`${first} .files button`)) {
    if (await button.evaluate((each) => each.textContent) !== 'PDF') await button.evaluate((each) => each.click());
  }
  await page.waitForFunction(() => window.saved.length >= 3);
  found.saved = await page.evaluate(() => Promise.all(window.saved.map(async (blob) => (await blob.text()).slice(0, 200))));
  await page.$$eval(`${first} .files button`, (all) => all.find((each) => each.textContent === 'PDF').click());
  await page.emulateMediaType('print');
  await page.waitForFunction(() => window.printed);
  found.paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  found.printed = await page.evaluate(() => [...document.querySelectorAll('header, footer, main > section, figure.figure')]
    .filter((each) => each.getClientRects().length).map((each) => each.id || each.dataset.figure));
  found.pdf = (await page.pdf()).length;
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  found.unprinted = await page.evaluate(() => document.querySelectorAll('.printed, .print-one').length);
  if (picture) await page.screenshot({ path: picture, fullPage: true });
} finally {
  await browser.close();
}
console.log(JSON.stringify(found));
