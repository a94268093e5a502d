// What a page is shown on: Puppeteer's telephones and tablets, and a desktop that is not in its list.

// The browser's own size would be 800x600; this is the commonest of laptops.
const DESKTOP = { width: 1366, height: 768, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false };

export function deviceNames(puppeteer) {
  return [...Object.keys(puppeteer.KnownDevices), 'desktop'];
}

// Gives null for a device that is not known.
export async function findDevice(puppeteer, browser, name) {
  if (name !== 'desktop') return puppeteer.KnownDevices[name] ?? null;
  // Without a screen it calls itself otherwise, and some sites answer that otherwise.
  const userAgent = (await browser.userAgent()).replace('HeadlessChrome', 'Chrome');
  return { viewport: DESKTOP, userAgent };
}
