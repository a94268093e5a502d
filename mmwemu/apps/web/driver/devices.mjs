// Devices: Puppeteer's telephones and tablets, and a desktop that is not in its list.

// The most common size of laptops; the browser's default is 800x600.
const DESKTOP = { width: 1366, height: 768, deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: false };

export function deviceNames(puppeteer) {
  return [...Object.keys(puppeteer.KnownDevices), 'desktop'];
}

// Returns null for an unknown device.
export async function findDevice(puppeteer, browser, name) {
  if (name !== 'desktop') return puppeteer.KnownDevices[name] ?? null;
  // A headless browser has another user agent, and some sites respond differently to it.
  const userAgent = (await browser.userAgent()).replace('HeadlessChrome', 'Chrome');
  return { viewport: DESKTOP, userAgent };
}
