import { readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { openReader, PATH, type Reader, readBlocks } from './guides.ts';
import { copyRepository, linkPackages, makeFolder } from './repository-copy.ts';
import { startTestServer, type TestServer } from './server.ts';

/** Page for users of the package. */
export const CLIENT_PAGE = 'client/README.md';

const INSTALLATION = 'Installation';

/** Blocks of the page after the installation. */
export const usageBlocks = () => readBlocks(CLIENT_PAGE).filter(({ section }) => section !== INSTALLATION);

/** Package that was built, packed and installed as its page describes. */
export interface InstalledPackage {
  /** Folder of the built package. */
  dist: string;
  tarball: string;
  /** Folder of the project that installed the package. */
  project: string;
  /** Terminal in the project, in which the page's URL is that of the server. */
  reader: Reader;
  server: TestServer;
  remove(): Promise<void>;
}

/** Follows the section of the page about the installation. */
export async function installPackage(): Promise<InstalledPackage> {
  const [folder, server] = await Promise.all([makeFolder(), startTestServer()]);
  const clone = join(folder.folder, 'colophon');
  await copyRepository(clone);
  await linkPackages(clone);
  const reader = openReader({
    folder: clone,
    // A user of the package has a version of Node that it supports.
    environment: { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, TOKEN: server.admin.token },
    replace: (text) => text.replaceAll('https://docs.example.com', server.url),
  });
  const remove = async () => {
    await reader.close();
    await server.stop();
    await folder.remove();
  };
  try {
    for (const block of readBlocks(CLIENT_PAGE).filter(({ section }) => section === INSTALLATION)) {
      await reader.follow(block);
    }
    const tarball = (await readdir(clone)).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) {
      throw new Error(`${CLIENT_PAGE} packs no package.`);
    }
    return {
      dist: join(clone, 'dist'),
      tarball: join(clone, tarball),
      project: join(folder.folder, 'my-project'),
      reader,
      server,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
