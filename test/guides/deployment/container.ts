import { setTimeout as delay } from 'node:timers/promises';
import { killTree } from '../../support/processes/kill-tree.ts';
import { type ExitStatus, finish, type Program, run } from '../../support/processes/program.ts';
import { CAN_CHANGE_USER, type Image } from './image.ts';

/** A running container of an image: its program, as the user of the image. */
export interface Container {
  program: Program;
  /** Runs a command in it. Rejects if it fails. */
  execute(command: readonly string[]): Promise<string>;
  isHealthy(): Promise<boolean>;
  waitUntilHealthy(): Promise<void>;
  kill(): Promise<void>;
  /** Stops the program as an engine does: with a signal, and forcibly after a time. */
  stop(graceMs: number): Promise<ExitStatus>;
}

/** Number of checks after which a container is not healthy. */
const HEALTH_CHECKS = 50;

/** Starts a container. @param environment variables in addition to those of the image */
export function startContainer(image: Image, environment: Readonly<Record<string, string>>): Container {
  const [user, group] = image.user.split(':');
  // Without capabilities, and without a home folder that it could write to.
  const prefix = CAN_CHANGE_USER
    ? [
        'setpriv',
        `--reuid=${user}`,
        `--regid=${group}`,
        '--clear-groups',
        '--no-new-privs',
        '--bounding-set=-all',
        '--inh-caps=-all',
      ]
    : ['env'];
  const variables = { HOME: '/nonexistent', ...image.environment, ...environment };
  const inContainer = ([name = '', ...parameters]: readonly string[]) => {
    const [first = '', ...more] = [...prefix, name, ...parameters];
    return [first, more, variables, image.workingFolder] as const;
  };
  const program = run(...inContainer(image.command));
  const isHealthy = async () => (await finish(...inContainer(image.healthCheck))).code === 0;
  return {
    program,
    isHealthy,
    execute: async (command) => {
      const { code, stdout, stderr } = await finish(...inContainer(command));
      if (code !== 0) {
        throw new Error(`${command.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
      }
      return stdout;
    },
    waitUntilHealthy: async () => {
      await program.until('stdout', /^Documentation: /m);
      for (let check = 1; !(await isHealthy()); check++) {
        if (check === HEALTH_CHECKS) {
          throw new Error(`The health check fails:\n${program.output.stderr}`);
        }
        await delay(100);
      }
    },
    kill: () => killTree(program.child),
    stop: async (graceMs) => {
      process.kill(Number(program.child.pid), image.stopSignal);
      const forced = setTimeout(() => program.child.kill('SIGKILL'), graceMs);
      const status = await program.ended;
      clearTimeout(forced);
      return status;
    },
  };
}
