import { isIPv6 } from 'node:net';
import { devNull } from 'node:os';
import { basicAuthorization } from './credentials.ts';
import type { RepositoryLocation } from './git/locate.ts';

/** Supported protocols of repositories. */
export const REPOSITORY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'ssh:']);

/** A git setting, passed in the environment: the command line is visible to other users of the machine. */
type Setting = readonly [key: string, value: string];

const SETTINGS: readonly Setting[] = [
  // No hooks or helpers of the repository or the machine are executed.
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  // No other sources and no redirects: only checked addresses are called.
  ['transfer.bundleURI', 'false'],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  // A stalled transfer is aborted, even if this process has ended and cannot stop git.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
  // A single pack file, so that its size can be monitored. Large blobs are streamed.
  ['fetch.unpackLimit', '1'],
  ['core.bigFileThreshold', '16m'],
  // Only the requested refs are listed by servers with this version of the protocol.
  ['protocol.version', '2'],
  // Memory that does not depend on the number of processors, and partly mapped packs.
  ['pack.threads', '2'],
  ['pack.windowMemory', '64m'],
  ['core.packedGitWindowSize', '64m'],
  ['core.packedGitLimit', '1g'],
  ['fetch.writeCommitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/**
 * Returns the environment of git processes that use only the local copy. Only `PATH` is inherited, so that variables,
 * proxies and configuration of the machine have no effect.
 *
 * @param home an empty folder, so that files such as `.netrc` are not read
 */
export function localEnvironment(home: string, more: readonly Setting[] = []): Record<string, string> {
  const all = [...SETTINGS, ...more];
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

/** Returns the environment of a git process that connects to the remote: restricted to the checked addresses. */
export function remoteEnvironment(location: RepositoryLocation, home: string): Record<string, string> {
  const protocol = location.url.protocol.slice(0, -1);
  if (protocol === 'ssh') {
    return { ...localEnvironment(home), ...sshVariables(location), GIT_ALLOW_PROTOCOL: protocol };
  }
  const { url, host, credentials } = location;
  const port = url.port || (protocol === 'https' ? '443' : '80');
  const addresses = host.addresses.map((address) => (isIPv6(address) ? `[${address}]` : address)).join(',');
  const more: Setting[] = [['http.curloptResolve', `${host.hostname}:${port}:${addresses}`]];
  if (credentials) {
    more.push([`http.${url.origin}/.extraHeader`, `Authorization: ${basicAuthorization(credentials)}`]);
  }
  // The location of the trusted certificates is the only other inherited setting.
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

/** Returns the variables for ssh: the machine's keys and known hosts, non-interactive, bound to the checked address. */
function sshVariables({ url, host }: RepositoryLocation): Record<string, string> {
  const hostKeyAlias = url.port === '' ? host.hostname : `[${host.hostname}]:${url.port}`;
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    HostName: host.addresses[0] ?? '',
    HostKeyAlias: hostKeyAlias,
    CheckHostIP: 'no',
    ProxyCommand: 'none',
    ProxyJump: 'none',
    PermitLocalCommand: 'no',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '30',
    ServerAliveInterval: '30',
  };
  // Git passes this to a shell. Host names and addresses are checked and contain no shell metacharacters.
  const command = Object.entries(options)
    .map(([name, value]) => `-o '${name}=${value}'`)
    .join(' ');
  const inherited = ['HOME', 'USER', 'SSH_AUTH_SOCK'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), GIT_SSH_COMMAND: `ssh ${command}`, GIT_SSH_VARIANT: 'ssh' };
}
