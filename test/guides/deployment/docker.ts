import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startOwnPostgres } from '../../support/database/own-postgres.ts';
import { administer } from '../../support/database/postgres.ts';
import { freePort } from '../../support/processes/ports.ts';
import { readCompose, readVariables, type Services } from './compose.ts';
import { type Container, startContainer } from './container.ts';
import { buildImage, type Image } from './image.ts';

/** Follows the commands of a page for `docker` without a container engine. */
export interface Docker {
  /** Runs a command line. Returns its output. */
  run(command: string): Promise<string>;
  readonly image: Image;
  /** Container of the service `server`. */
  readonly server: Container;
  readonly services: Services;
  /** URL of the server. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param folder working folder of the commands */
export async function createDocker(folder: string): Promise<Docker> {
  const port = await freePort();
  const ending = new AsyncDisposableStack();
  let image: Image | undefined;
  let server: Container | undefined;
  let services: Services | undefined;

  const up = async (file: string, variablesFile: string) => {
    services = readCompose(file, readVariables(await readFile(join(folder, variablesFile), 'utf8')));
    const databasePort = await startPostgres(services.postgres.environment, ending);
    const { DATABASE_URL: databaseUrl = '', ...environment } = services.server.environment;
    server = startContainer(required(image), {
      ...environment,
      ...(await settingsOfTests(required(image), port)),
      DATABASE_URL: databaseUrl.replace('@postgres/', `@127.0.0.1:${databasePort}/`),
    });
    const { kill } = server;
    ending.defer(kill);
    await server.waitUntilHealthy();
  };

  return {
    run: async (command) => {
      const [, dockerfile] = /^docker build --file (\S+) --tag \w+ \.$/.exec(command) ?? [];
      const [, file = '', variables = '', rest = ''] =
        /^docker compose --file (\S+) --env-file (\S+) (.*)$/.exec(command) ?? [];
      const [, program] = /^exec server (.*)$/.exec(rest) ?? [];
      if (dockerfile !== undefined) {
        image = await buildImage(dockerfile);
        ending.defer(image.remove);
        return '';
      }
      if (program !== undefined) {
        return await required(server).execute(program.split(' '));
      }
      if (/^up(?: --\w+)*$/.test(rest)) {
        await up(file, variables);
        return '';
      }
      throw new Error(`The tests cannot follow the command: ${command}`);
    },
    get image() {
      return required(image);
    },
    get server() {
      return required(server);
    },
    get services() {
      return required(services);
    },
    url: `http://127.0.0.1:${port}`,
    close: () => ending.disposeAsync(),
  };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error('The page uses an image or a service before the command that creates it.');
  }
  return value;
}

/** Variables of this run, which only concern this machine, with the folder for the temporary files of a container. */
export async function settingsOfTests({ root }: Image, port: number): Promise<Record<string, string>> {
  const temporary = join(root, 'tmp');
  await mkdir(temporary, { recursive: true });
  await chmod(temporary, 0o1777);
  return { TMPDIR: temporary, HOST: '127.0.0.1', PORT: String(port), COLOPHON_COMPILE_AHEAD: 'off' };
}

/** Starts PostgreSQL as its image does with these variables: a user signs in with a password. Returns its port. */
async function startPostgres(
  { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '' }: Readonly<Record<string, string>>,
  ending: AsyncDisposableStack,
): Promise<number> {
  const { server, proxy, close } = await startOwnPostgres((data) => {
    writeFileSync(join(data, 'pg_hba.conf'), 'local all postgres trust\nlocal all all scram-sha-256\n');
    return {};
  });
  ending.defer(close);
  await administer(server.url, `create role ${user} login password '${password}'`);
  await administer(server.url, `create database ${user} owner ${user} template template0`);
  return proxy.port;
}
