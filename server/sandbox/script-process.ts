import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { OutgoingError } from '../outgoing/errors.ts';
import { checkProcess, type ScriptMessage, type ScriptResponse, sendMessage } from './calls.ts';
import { SandboxError } from './errors.ts';
import { LOG_END_MS, SCRIPT_BLOCKED_MS, SCRIPT_START_MS } from './limits.ts';
import { CallLog, type LogEntry, type OutputLine, parseLine, readLines, STARTUP } from './logs.ts';
import { CALL_SOCKET, createScriptFolder, PROXY_SOCKET, type Program, startProgram } from './program.ts';
import { type ProxyOptions, startProxy } from './proxy.ts';

/** A call of a script. */
export interface ScriptCall {
  message: ScriptMessage;
  /** Aborted at the deadline of the call, or by its caller. */
  signal: AbortSignal;
  /** Creates the error of the aborted signal. */
  failureOfSignal: () => SandboxError;
  maxResponseBytes: number;
  /** Whether the response waits for the work of the script in the background (`waitUntil`), until the deadline. */
  awaitsBackground: boolean;
}

/** Response of a script with its log. */
export interface ScriptResult extends ScriptResponse {
  logs: LogEntry[];
}

interface ActiveCall {
  log: CallLog;
  /** Resolved at the end of the log. */
  logged: PromiseWithResolvers<void>;
  /** Rejected if the process ends. */
  ended: PromiseWithResolvers<never>;
}

/** Number of messages of the program that are retained, for the error if it ends. */
const RETAINED_MESSAGES = 20;

/** Messages of the program about memory, of V8 and of its allocator, which writes a report after its message. */
const MEMORY_MESSAGE = /out of memory|unable to allocate/i;

/** Prefix of the messages of the program about the script. Others contain paths of this server. */
const SCRIPT_MESSAGE = 'service script: ';

/** The process of one version of a script. */
export class ScriptProcess {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  readonly #program: Program;
  readonly #proxy: Server;
  readonly #folder: string;
  readonly #socket: string;
  readonly #clock: () => Date;
  readonly #calls = new Map<string, ActiveCall>();
  readonly #startup = new CallLog();
  readonly #messages: string[] = [];
  #isOutOfMemory = false;
  /** Why the process is ended; undefined if it ends by itself. */
  #reason: SandboxError | undefined;
  #hasEnded = false;

  private constructor(program: Program, proxy: Server, folder: string, clock: () => Date) {
    this.#program = program;
    this.#proxy = proxy;
    this.#folder = folder;
    this.#socket = join(folder, CALL_SOCKET);
    this.#clock = clock;
    const { child, output, errors, end } = program;
    for (const stream of [output, errors]) {
      readLines(stream, (line) => this.#receive(parseLine(line, clock())));
    }
    this.ended = new Promise((resolve) => {
      const onEnd = () => void this.#finish().then(resolve);
      // It could not be killed.
      child.on('error', (error) => this.#messages.push(error.message));
      child.on('exit', () => {
        this.#hasEnded = true;
        end();
        output.resume();
        errors.resume();
      });
      child.on('close', onEnd);
    });
  }

  /**
   * Starts the process of a script.
   *
   * @throws SandboxError `crashed` or `memory` if the script does not start, `busy` if its process does not
   */
  static async start(
    path: string,
    script: Uint8Array,
    { clock, signal, ...proxied }: ProxyOptions & { clock: () => Date; signal: AbortSignal },
  ): Promise<ScriptProcess> {
    const folder = await createScriptFolder(script);
    let proxy: Server | undefined;
    let started: ScriptProcess;
    try {
      proxy = await startProxy(join(folder, PROXY_SOCKET), proxied);
      started = new ScriptProcess(await startProgram(path, folder), proxy, folder, clock);
    } catch (error) {
      proxy?.close();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SCRIPT_START_MS)]);
    const end = () =>
      started.end(
        signal.aborted
          ? new SandboxError('busy', 'The server is stopping.')
          : new SandboxError('timeout', `The script did not start within ${SCRIPT_START_MS / 1000} seconds.`),
      );
    limit.addEventListener('abort', end);
    if (limit.aborted) {
      end();
    }
    const isListening = await Promise.race([
      new Promise<boolean>((resolve) => started.#program.control.once('data', () => resolve(true))),
      started.ended.then(() => false),
    ]);
    limit.removeEventListener('abort', end);
    if (!isListening) {
      throw started.#failure();
    }
    return started;
  }

  /** ID of the process. */
  get pid(): number | undefined {
    return this.#program.child.pid;
  }

  /** Whether it has ended, or is being ended. */
  get isEnding(): boolean {
    return this.#hasEnded || this.#reason !== undefined;
  }

  /**
   * Sends a message to the script.
   *
   * @throws SandboxError if there is no complete response
   */
  async call(call: ScriptCall): Promise<ScriptResult> {
    const active: ActiveCall = {
      log: new CallLog(),
      logged: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
    active.ended.promise.catch(() => {});
    for (const entry of this.#startup.entries.splice(0)) {
      active.log.add(entry);
    }
    const id = randomUUID();
    this.#calls.set(id, active);
    try {
      const bounds = { maxBytes: call.maxResponseBytes, signal: call.signal };
      const response = await Promise.race([
        sendMessage(this.#socket, { id, ...call }, bounds),
        active.ended.promise,
      ]);
      await this.#endOfLog(active, call);
      return { ...response, logs: active.log.entries };
    } catch (error) {
      const failure = await this.#failureOf(error, call, active);
      failure.logs = [...active.log.entries, ...failure.logs];
      throw failure;
    } finally {
      this.#calls.delete(id);
    }
  }

  /** Ends the process if the script blocks it, such as in an endless loop. Waits for its end if it is ending. */
  async endIfBlocked(): Promise<void> {
    if (!this.isEnding) {
      const state = await checkProcess(this.#socket, SCRIPT_BLOCKED_MS);
      if (state === 'responsive') {
        return;
      }
      if (state === 'blocked') {
        this.end(
          new SandboxError('crashed', 'Another call blocked the process of the script, which was ended.'),
        );
      }
      this.#program.end();
    }
    await this.ended;
  }

  /** Ends the process. Its calls fail with the reason. */
  end(reason: SandboxError): void {
    this.#reason ??= reason;
    this.#program.end();
  }

  #receive(line: OutputLine): void {
    if (line.kind === 'message') {
      this.#messages.push(line.text);
      this.#isOutOfMemory ||= MEMORY_MESSAGE.test(line.text);
      this.#messages.splice(0, this.#messages.length - RETAINED_MESSAGES);
    } else if (line.kind === 'end') {
      this.#calls.get(line.call)?.logged.resolve();
    } else if (line.call === STARTUP) {
      this.#startup.add(line.entry);
    } else {
      this.#calls.get(line.call)?.log.add(line.entry);
    }
  }

  /** Waits for the end of the log, which arrives separately from the response, and for work in the background. */
  async #endOfLog({ logged, ended }: ActiveCall, { awaitsBackground, signal }: ScriptCall): Promise<void> {
    const waiting = new AbortController();
    const limit = awaitsBackground ? signal : AbortSignal.any([signal, AbortSignal.timeout(LOG_END_MS)]);
    const limited = new Promise<void>((resolve) => {
      limit.addEventListener('abort', () => resolve(), { signal: waiting.signal });
      if (limit.aborted) {
        resolve();
      }
    });
    await Promise.race([logged.promise, ended.promise.catch(() => {}), limited]);
    waiting.abort();
  }

  /** Returns the cause of a failed call. */
  async #failureOf(error: unknown, call: ScriptCall, { ended }: ActiveCall): Promise<SandboxError> {
    if (error instanceof SandboxError) {
      return error;
    }
    if (call.signal.aborted) {
      return call.failureOfSignal();
    }
    if (error instanceof OutgoingError) {
      return new SandboxError('output', error.message, { cause: error });
    }
    if (error instanceof Error && 'code' in error && error.code === 'HPE_HEADER_OVERFLOW') {
      return new SandboxError('output', 'The headers of the response are too large.', { cause: error });
    }
    await this.endIfBlocked();
    const incomplete = new SandboxError('crashed', 'The script ended its response before it was complete.', {
      cause: error,
    });
    return await Promise.race([
      ended.promise.catch((reason: SandboxError) => reason),
      new Promise<SandboxError>((resolve) => setImmediate(resolve, incomplete)),
    ]);
  }

  async #finish(): Promise<void> {
    this.#hasEnded = true;
    this.#program.end();
    this.#proxy.close();
    this.#proxy.closeAllConnections();
    for (const { ended } of this.#calls.values()) {
      ended.reject(this.#failure());
    }
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {});
  }

  /** Creates the error of a call that the end of the process failed. */
  #failure(): SandboxError {
    const failure = this.#reason
      ? new SandboxError(this.#reason.reason, this.#reason.message)
      : this.#isOutOfMemory
        ? new SandboxError('memory', 'The script exceeded its memory.')
        : new SandboxError('crashed', 'The process of the script ended.');
    const timestamp = this.#clock().toISOString();
    failure.logs = [
      ...this.#startup.entries,
      ...this.#messages
        .filter((text) => text.startsWith(SCRIPT_MESSAGE))
        .map((text) => ({ message: text.slice(SCRIPT_MESSAGE.length), timestamp, level: 'error' as const })),
    ];
    return failure;
  }
}
