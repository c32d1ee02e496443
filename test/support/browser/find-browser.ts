import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Browser for tests: the packaged one, which runs only on Linux on x64, or the program at a path. */
export type TestBrowser = { packaged: true } | { path: string };

/** Inputs of {@link findBrowser}, for its own tests. */
interface Machine {
  platform: NodeJS.Platform;
  arch: string;
  environment: NodeJS.ProcessEnv;
  exists(path: string): boolean;
}

const CURRENT_MACHINE: Machine = {
  platform: process.platform,
  arch: process.arch,
  environment: process.env,
  exists: existsSync,
};

/** Names of Chrome and Chromium on the path. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Returns the paths of installations that are not on `PATH`. */
function installed({ platform, environment }: Machine): string[] {
  if (platform === 'darwin') {
    return ['', environment.HOME ?? ''].flatMap((home) =>
      ['Google Chrome', 'Chromium'].map((name) => `${home}/Applications/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) =>
      ['Google\\Chrome', 'Chromium'].map(
        (folder) => `${environment[name] ?? ''}\\${folder}\\Application\\chrome.exe`,
      ),
    );
  }
  return [];
}

/**
 * Finds a browser: the one that `COLOPHON_BROWSER` names, the packaged one if it runs here, or an installed Chrome or
 * Chromium. Returns undefined if there is none.
 */
export function findBrowser(machine: Machine = CURRENT_MACHINE): TestBrowser | undefined {
  const { platform, arch, environment, exists } = machine;
  if (environment.COLOPHON_BROWSER) {
    return { path: environment.COLOPHON_BROWSER };
  }
  if (platform === 'linux' && arch === 'x64') {
    return { packaged: true };
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = [
    ...folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))),
    ...installed(machine),
  ].find(exists);
  return path === undefined ? undefined : { path };
}

/** Whether tests in a browser run: without one they are skipped, except in CI, where they fail. */
export const runsInBrowser =
  findBrowser() !== undefined || process.env.CI === 'true' || process.env.COLOPHON_REQUIRE_BROWSER === '1';
