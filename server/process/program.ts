import closeWithGrace from 'close-with-grace';
import { ConfigError, readConfig } from '../app/config.ts';
import { describeVariables } from '../app/config-variables.ts';
import { createLog } from '../app/log.ts';
import { START_COMMAND } from '../commands/command-lines.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';

const HELP = `Starts the documentation platform.

  ${START_COMMAND}

Environment variables:
${describeVariables()}`;

/** Runs the program. Prints the error if the server does not start. */
export async function runProgram(args: string[]): Promise<void> {
  try {
    await startServer(args);
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : startFailure(error));
    process.exitCode = 1;
  }
}

async function startServer(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return;
  }
  if (args[0] !== undefined) {
    throw new ConfigError(
      `Unknown option ${args[0]}. Configure the server with environment variables; --help lists them.`,
    );
  }
  const config = readConfig(process.env);
  const tracing = config.isTraced
    ? (await import('../telemetry/traces/tracing.ts')).startTracing('server', process.env)
    : undefined;
  const log = createLog(config, { fields: tracing?.logFields });
  // Loaded after the configuration, so that configuration errors are reported at once.
  const { start, REQUEST_GRACE_MS, JOB_GRACE_MS } = await import('./start.ts');
  const { programParts } = await import('./parts.ts');
  const superseded = Promise.withResolvers<void>();
  const running = await start(config, log, console.log, {
    ...programParts(process.env),
    traceRequests: tracing?.traceRequests,
    onSuperseded: superseded.resolve,
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const { close } = closeWithGrace(
    { delay: REQUEST_GRACE_MS + JOB_GRACE_MS + 5000, logger: false, skip: [...signals] },
    async ({ err }) => {
      if (err) {
        log.fatal({ err }, 'fatal error: the server stops');
      }
      await running.stop();
      await tracing?.stop();
    },
  );
  void superseded.promise.then(() => {
    log.warn('stopping: a later release migrates the database. Start the server of that release');
    close();
  });
  let firstSignal: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (firstSignal === undefined) {
        firstSignal = performance.now();
        log.info({ signal }, 'stopping: waiting for requests in flight');
        close();
      } else if (performance.now() - firstSignal > 1000) {
        // Ctrl-C arrives twice within a second: from the terminal, and from npm.
        log.warn({ signal }, 'stopping immediately');
        process.exit(1);
      }
    });
  }
}

/** The reason why the server does not start, in one line. */
function startFailure(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `PORT ${error.port} is in use by another program. Stop that program, or set another port, such as PORT=3001.`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const more = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return `The server could not start: ${messageOf(error)}${more}`.replaceAll(/\s*\n\s*/g, ' ');
}

function messageOf(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) {
    return error.instruction;
  }
  if (!(error instanceof Error)) {
    return String(error);
  }
  // A refused connection to a name with several addresses has no message of its own.
  return error.message || String('code' in error ? error.code : error.name);
}
