import fc from 'fast-check';
import limax from 'limax';
import { describe, expect, test } from 'vitest';
import { anchorOfTitle, otherForms } from '../../../server/content/markdown/anchors/forms.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';

describe('the ID of a heading', () => {
  test.each([
    ['Version 2.13.0-rc.1', 'version-2.13.0-rc.1'],
    ['It ends with a dot.', 'it-ends-with-a-dot.'],
    ['3D models', 'id-3d-models'],
    ['0x5000: Invalid settings', 'id-0x5000-invalid-settings'],
    ['RadSec / TCP', 'radsec-tcp'],
    ['GET /v2/request/{requestId}/routes', 'get-v2-request-requestid-routes'],
    ['<Properties>', 'less-than-properties-greater-than'],
    ['File -> New', 'file-greater-than-new'],
    ['A&B & C', 'a-and-b-and-c'],
    ['Dialogs | Scheduled for March', 'dialogs-or-scheduled-for-march'],
    ['What we can’t do', 'what-we-cant-do'],
    ['call at_put_key()', 'call-at_put_key'],
    ['Option — with (parentheses) …', 'option-with-parentheses'],
    ['⏱️ Hang detection', 'hang-detection'],
    ['Café résumé', 'cafe-resume'],
    ['$5 per seat', 'usd5-per-seat'],
    ['1.3 配置 MongoDB', 'id-1.3-配置-mongodb'],
    ['Введение в API', 'введение-в-api'],
    ['???', 'section'],
    ['', 'section'],
  ])('of %j is %j', (title, id) => {
    expect(anchorOfTitle(title)).toBe(id);
  });

  test.each([
    ['2. API keys', ['2.-api-keys', '2-api-keys']],
    ['Limits & Retries', ['limits--retries', 'limits-retries']],
    ['API (REST/gRPC)', ['api-restgrpc']],
    ['配置 MongoDB', ['pei-zhi-mongodb']],
    ['Введение', ['vvedenie']],
    ['비용 (Transaction Cost)', ['transaction-cost']],
    ['제목', ['undefined']],
    ['Getting started', []],
  ])('of %j has the other forms %j', (title, forms) => {
    const others = otherForms(title);
    expect(others).toEqual(expect.arrayContaining(forms));
    expect(others).not.toContain(anchorOfTitle(title));
    expect(new Set(others).size).toBe(others.length);
  });

  test('of a title in ASCII is that of the library that GitBook uses', () => {
    const title = fc.string({
      unit: fc.oneof(
        fc.constantFrom('&', '<', '>', '|', '.', '-', ' ', '_', '$', "'", '/'),
        fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      ),
      maxLength: 20,
    });
    fc.assert(
      fc.property(title, (text) => {
        const slug = limax(text, { tone: false, custom: { '.': '.' } });
        expect(anchorOfTitle(text)).toBe(slug === '' ? 'section' : /^\d/.test(slug) ? `id-${slug}` : slug);
      }),
      { numRuns: runs(500) },
    );
  });

  test('of a long title takes no longer than in proportion to a limited length', () => {
    for (const unit of [' ', '-', "a'", '&', 'я ', '配', '\u0301']) {
      const elapsedMs = startProcessorClock();
      anchorOfTitle(unit.repeat(200_000));
      otherForms(unit.repeat(200_000));
      expect(elapsedMs()).toBeLessThan(2000);
    }
  });
});
