/** A program to start. */
export interface LaunchRequest {
  id: number;
  command: string;
  parameters: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  detached: boolean;
}

/** Result of a start. */
export interface LaunchReply {
  pid?: number;
  error?: { message: string };
}

/** End of a program. */
export interface ProgramEnd {
  id: number;
  code: number | null;
  signal: NodeJS.Signals | null;
}
