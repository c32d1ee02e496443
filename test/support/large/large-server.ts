import { SECRET_KEY } from '../environment.ts';
import { Wire } from '../http/wire.ts';
import { startTestServer, type TestServer } from '../server.ts';
import { fillOrganization, type LargeOrganization } from './large-organization.ts';

/** A server with one large organization. */
export interface LargeServer {
  server: TestServer;
  wire: Wire;
  large: LargeOrganization;
}

/** Starts a server with an organization that has `count` rows of each kind. */
export async function startLargeServer(count: number): Promise<LargeServer> {
  const server = await startTestServer();
  const wire = new Wire(server.url);
  const { database, url, admin } = server;
  return {
    server,
    wire,
    large: await fillOrganization(database, { url, token: admin.token, count, secretKey: SECRET_KEY }),
  };
}
