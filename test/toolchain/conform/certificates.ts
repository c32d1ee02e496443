import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A private authority, and a server at 127.0.0.1 that it certifies. */
export interface Certificates {
  /** Certificate of the authority. */
  authority: string;
  /** Certificate of the server, and its key. */
  certificate: string;
  key: string;
}

/** Creates certificates with openssl, which Node cannot create. */
export async function createCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'conform-certificates-'));
  const openssl = (command: string) => promisify(execFile)('openssl', command.split(' '), { cwd: folder });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  try {
    await openssl(`req -x509 ${newKey} -keyout authority.key -out authority.pem -days 2 -subj /CN=Authority`);
    await openssl(`req ${newKey} -keyout server.key -out server.csr -subj /CN=127.0.0.1`);
    await writeFile(join(folder, 'extensions'), 'subjectAltName = IP:127.0.0.1\n');
    const signed = '-CA authority.pem -CAkey authority.key -CAcreateserial -extfile extensions -days 2';
    await openssl(`x509 -req -in server.csr -out server.pem ${signed}`);
    const [authority, certificate, key] = await Promise.all(
      ['authority.pem', 'server.pem', 'server.key'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    return { authority: authority ?? '', certificate: certificate ?? '', key: key ?? '' };
  } finally {
    await rm(folder, { recursive: true });
  }
}
