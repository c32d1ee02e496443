import { describe, expect, test } from 'vitest';
import { checkHost, isAddressAllowed, parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { OutgoingError } from '../../../server/outgoing/errors.ts';

const noRanges = parseAllowedRanges('');

describe('the address guard', () => {
  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::127.0.0.1',
    'fe80::1',
    'fec0::1',
    'fd00::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    '4000::1',
    'localhost',
    '',
  ])('rejects %s', (address) => {
    expect(isAddressAllowed(address, noRanges)).toBe(false);
  });

  test.each(['1.1.1.1', '140.82.121.4', '::ffff:1.1.1.1', '2606:4700:4700::1111'])('allows %s', (address) => {
    expect(isAddressAllowed(address, noRanges)).toBe(true);
  });

  test('allows addresses of a configured range, and no others', () => {
    const allowed = parseAllowedRanges('127.0.0.0/8, fd00::/8 ,10.1.2.3');
    for (const address of ['127.9.9.9', '::ffff:127.0.0.1', 'fd12::1', '10.1.2.3']) {
      expect(isAddressAllowed(address, allowed), address).toBe(true);
    }
    for (const address of ['10.1.2.4', '::1', 'fe80::1', '169.254.169.254']) {
      expect(isAddressAllowed(address, allowed), address).toBe(false);
    }
  });

  test.each(['localhost', '10.0.0.0/33', '10.0.0/8/8', 'fd00::/129'])('rejects %s as a range', (text) => {
    expect(() => parseAllowedRanges(`127.0.0.0/8,${text}`)).toThrow(`"${text}" is not an address range`);
  });
});

describe('checking a host', () => {
  const answering = (...addresses: string[]) => {
    const requested: string[] = [];
    const lookup = async (hostname: string) => {
      requested.push(hostname);
      return addresses;
    };
    return { asked: requested, lookup };
  };

  test('resolves a name once and returns the addresses to connect to', async () => {
    const { asked, lookup } = answering('1.1.1.1', '2606:4700:4700::1111');
    const host = await checkHost(new URL('https://Docs.Example/x'), noRanges, lookup);
    expect(host).toEqual({ hostname: 'docs.example', addresses: ['1.1.1.1', '2606:4700:4700::1111'] });
    expect(asked).toEqual(['docs.example']);
  });

  test('rejects a name if any of its addresses is private', async () => {
    const { lookup } = answering('1.1.1.1', '10.0.0.1');
    await expect(checkHost(new URL('https://docs.example/'), noRanges, lookup)).rejects.toMatchObject({
      code: 'unresolved',
      cause: expect.objectContaining({ message: expect.stringContaining('10.0.0.1') }),
    });
  });

  test('distinguishes an internal name from a missing one only in the log', async () => {
    const notFound = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND intranet.example'), { code: 'ENOTFOUND' });
    };
    const failures = await Promise.all(
      [
        answering('10.0.0.1').lookup,
        answering('1.1.1.1', 'fd00::1').lookup,
        answering().lookup,
        notFound,
      ].map((lookup) =>
        checkHost(new URL('https://intranet.example/'), noRanges, lookup).catch((error: unknown) => error),
      ),
    );
    const seen = failures.map((error) => {
      expect(error).toBeInstanceOf(OutgoingError);
      // Just checked.
      const { code, message, transient, cause } = error as OutgoingError;
      expect(cause).toBeInstanceOf(Error);
      return { code, message, transient };
    });
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(1);
  });

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::ffff:7f00:1]/',
    'http://127.0.0.1./',
  ])('recognizes %s without a resolver', async (url) => {
    const { asked, lookup } = answering('1.1.1.1');
    await expect(checkHost(new URL(url), noRanges, lookup)).rejects.toMatchObject({
      code: 'refused-address',
    });
    expect(asked).toEqual([]);
  });

  test.each(['http://localhost./', 'http://a,b/', 'http://*/', 'ssh://-oProxyCommand=x/', "ssh://a'b/"])(
    'rejects a name that another program could parse differently: %s',
    async (url) => {
      const { lookup } = answering('1.1.1.1');
      await expect(checkHost(new URL(url), noRanges, lookup)).rejects.toMatchObject({ code: 'invalid-url' });
    },
  );

  test('reports a name without addresses', async () => {
    const { lookup } = answering();
    await expect(checkHost(new URL('http://nowhere.example/'), noRanges, lookup)).rejects.toMatchObject({
      code: 'unresolved',
      transient: true,
    });
  });
});
