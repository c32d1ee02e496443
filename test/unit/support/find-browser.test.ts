import { expect, test } from 'vitest';
import { findBrowser } from '../../support/browser/find-browser.ts';

const machine = (platform: NodeJS.Platform, arch: string, installed: string[] = [], environment = {}) => ({
  platform,
  arch,
  environment: { PATH: '/usr/bin', HOME: '/Users/ada', ...environment },
  exists: (path: string) => installed.includes(path),
});

test('uses the packaged browser where it runs, and an installed one elsewhere', () => {
  expect(findBrowser(machine('linux', 'x64', ['/usr/bin/chromium']))).toEqual({ packaged: true });
  expect(findBrowser(machine('linux', 'arm64', ['/usr/bin/chromium']))).toEqual({
    path: '/usr/bin/chromium',
  });
  const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  expect(findBrowser(machine('darwin', 'arm64', [chrome]))).toEqual({ path: chrome });
  const windows = 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe';
  expect(findBrowser(machine('win32', 'x64', [windows], { PROGRAMFILES: 'C:\\Program Files' }))).toEqual({
    path: windows,
  });
});

test('prefers the browser that a variable names', () => {
  const environment = { COLOPHON_BROWSER: '/opt/chrome' };
  expect(findBrowser(machine('linux', 'x64', [], environment))).toEqual({ path: '/opt/chrome' });
});

test('returns undefined if there is none', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(findBrowser(machine(platform, 'arm64'))).toBeUndefined();
  }
});
