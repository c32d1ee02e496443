// The whole service as `npm start` runs it, which reports its usage to its parent.
import { readConfig } from '../../../server/config.ts';
import { createLog } from '../../../server/log.ts';
import { start } from '../../../server/start.ts';
import { serveParent } from './channel.ts';

const config = readConfig(process.env);
let token: string | undefined;
const readToken = (line: string) => {
  token ??= /^ {2}token +(\S+)$/.exec(line)?.[1];
};
const { url } = await start(config, createLog(config), readToken, { environment: process.env });
serveParent({ url, token });
