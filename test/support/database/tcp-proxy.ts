import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Treatment of the bytes of a connection. */
export type ProxyMode = 'pass' | 'silent';

/** A proxy on loopback in front of a server that can imitate failures of a network. */
export interface TcpProxy {
  port: number;
  /** `silent`: keeps connections and accepts new ones, but forwards nothing. */
  mode: ProxyMode;
  /** Number of bytes of the server that are still forwarded; all by default. */
  remainingBytes: number;
  /** Cuts all connections. */
  cut(): void;
  /** Cuts all connections and rejects new ones until {@link listen}. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  /**
   * Cuts the next connection when its client sends a matching message: before the message is forwarded, or when the
   * server has replied, without forwarding the reply.
   */
  cutAt(message: RegExp, when: 'before' | 'answered'): Promise<void>;
  close(): Promise<void>;
}

interface Trap {
  message: RegExp;
  when: 'before' | 'answered';
  reached(): void;
}

/** @param target the path of a socket, or a port of loopback */
export async function startProxy(target: string | number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let trap: Trap | undefined;
  const server = createServer((client) => {
    const upstream = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let pending: Trap | undefined;
    const destroy = ({ reached }: Trap) => {
      client.resetAndDestroy();
      upstream.destroy();
      reached();
    };
    client.on('data', (bytes) => {
      if (proxy.mode === 'silent') {
        return;
      }
      const matched = trap?.message.test(bytes.toString('latin1')) ? trap : undefined;
      if (matched) {
        trap = undefined;
      }
      if (matched?.when === 'before') {
        return destroy(matched);
      }
      pending = matched;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (pending) {
        destroy(pending);
      } else if (proxy.mode === 'pass') {
        const forwarded = bytes.subarray(0, proxy.remainingBytes);
        proxy.remainingBytes -= forwarded.length;
        client.write(forwarded);
      }
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const refuse = async () => {
    const closed = new Promise((done) => server.close(done));
    cut();
    await closed;
  };
  await listen(0);
  const proxy: TcpProxy = {
    // A listening TCP server's address is never a string or null.
    port: (server.address() as AddressInfo).port,
    mode: 'pass',
    remainingBytes: Number.POSITIVE_INFINITY,
    cut,
    refuse,
    listen: async () => {
      if (!server.listening) {
        await listen(proxy.port);
      }
    },
    cutAt: (message, when) =>
      new Promise((reached) => {
        trap = { message, when, reached };
      }),
    close: async () => {
      if (server.listening) {
        await refuse();
      }
    },
  };
  return proxy;
}
