import { isIPv6 } from 'node:net';
import { devNull } from 'node:os';
import { basicAuthorization } from './credentials.ts';
import type { RepositoryLocation } from './locate.ts';

/** Protocols that repositories are fetched over. */
export const repositoryProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'ssh:']);

/** Says "configure this" to git without a file and without the command line, where others could read it. */
type Setting = readonly [key: string, value: string];

const settings: readonly Setting[] = [
  // Nothing that a repository or the machine brings along runs.
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  // No second place to fetch from, and no redirect: each address was checked before.
  ['transfer.bundleURI', 'false'],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  // A sender that goes silent is given up, even when this process is gone and cannot stop git.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
  // One pack file, whose growth is easy to watch; huge blobs are streamed instead of held in memory.
  ['fetch.unpackLimit', '1'],
  ['core.bigFileThreshold', '16m'],
  ['fetch.writeCommitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/**
 * The environment for git processes that touch only the local copy. Nothing is inherited but the search
 * path, so that no variable, proxy or configuration of the machine changes what git does.
 *
 * @param home an empty folder: what git and curl look for at home (`.netrc`, say) is not there.
 */
export function localEnvironment(home: string, more: readonly Setting[] = []): Record<string, string> {
  const all = [...settings, ...more];
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: '',
    GIT_CONFIG_COUNT: String(all.length),
  };
  all.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return environment;
}

/** The environment for the one process that connects: it can reach the checked address and no other. */
export function remoteEnvironment(location: RepositoryLocation, home: string): Record<string, string> {
  const protocol = location.url.protocol.slice(0, -1);
  if (protocol === 'ssh') {
    return { ...localEnvironment(home), ...sshVariables(location), GIT_ALLOW_PROTOCOL: protocol };
  }
  const { url, host, credentials } = location;
  const port = url.port || (protocol === 'https' ? '443' : '80');
  const addresses = host.addresses.map((address) => (isIPv6(address) ? `[${address}]` : address)).join(',');
  const more: Setting[] = [['http.curloptResolve', `${host.hostname}:${port}:${addresses}`]];
  if (credentials)
    more.push([`http.${url.origin}/.extraHeader`, `Authorization: ${basicAuthorization(credentials)}`]);
  // Where the machine keeps its trusted certificates is the one thing of it that matters here.
  const certificates = ['SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...localEnvironment(home, more),
    ...Object.fromEntries(certificates),
    GIT_ALLOW_PROTOCOL: protocol,
  };
}

/** The machine's ssh with its keys and known hosts; it asks nothing and connects to the checked address. */
function sshVariables({ url, host }: RepositoryLocation): Record<string, string> {
  const known = url.port === '' ? host.hostname : `[${host.hostname}]:${url.port}`;
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    HostName: host.addresses[0] ?? '',
    HostKeyAlias: known,
    CheckHostIP: 'no',
    ProxyCommand: 'none',
    ProxyJump: 'none',
    PermitLocalCommand: 'no',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '30',
    ServerAliveInterval: '30',
  };
  // Git gives this to a shell. Host names and addresses were checked to hold nothing that a shell would read.
  const command = Object.entries(options)
    .map(([name, value]) => `-o '${name}=${value}'`)
    .join(' ');
  const inherited = ['HOME', 'USER', 'SSH_AUTH_SOCK'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), GIT_SSH_COMMAND: `ssh ${command}`, GIT_SSH_VARIANT: 'ssh' };
}
