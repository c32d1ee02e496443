/** First version of Node that runs the commands, and TypeScript modules without an option. */
export const LEAST_NODE_VERSION = '22.18';

/**
 * Returns why a version of Node cannot run the commands; undefined if it can. Older versions run this module: it must
 * not use what they do not have.
 * @param version such as `20.19.5`
 */
export function unsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE_VERSION.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? undefined
    : `colophon requires Node.js ${LEAST_NODE_VERSION} or later, but this is Node.js ${version}. Install a later version: https://nodejs.org/en/download`;
}
