import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Options of the connections to a server. */
export interface AgentOptions {
  keepAlive?: boolean;
  /** Certificates of the trusted authorities in PEM. Default: those of Node. */
  ca?: readonly string[];
}

/** Creates the agent for the connections to a server. */
export const createAgent = (
  { protocol }: URL,
  { keepAlive = false, ca }: AgentOptions = {},
): HttpAgent | HttpsAgent =>
  protocol === 'https:'
    ? new HttpsAgent({ keepAlive, ...(ca && { ca: [...ca] }) })
    : new HttpAgent({ keepAlive });
