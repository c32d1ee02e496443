import { expect, test } from 'vitest';
import { joinParts, repairTranslation, textParts } from '../../../server/content/translation/repair.ts';

const SOURCE =
  'Run <span id="1" translate="no">npm start</span> in <span id="2">the <span id="3">folder</span></span>, now.';

test.each([
  [
    'reordered',
    'In <span id="2">dem <span id="3">Ordner</span></span> <span id="1" translate="no">npm start</span> starten.',
    'In <span id="2">dem <span id="3">Ordner</span></span> <span id="1" translate="no">1</span> starten.',
  ],
  [
    'in another case, with spaces and other quotation marks',
    'Starte < SPAN ID = “1” translate="nein" > npm starten </ Span > in <Span id=\'2\'>dem <span id=3 >Ordner</span ></span>.',
    'Starte <span id="1" translate="no">1</span> in <span id="2">dem <span id="3">Ordner</span></span>.',
  ],
  [
    'with spaces moved into them, or removed next to them',
    'Starte<span id="1" translate="no"></span>in<span id="2"> dem<span id="3"> Ordner </span> </span>jetzt.',
    'Starte <span id="1" translate="no">1</span> in <span id="2">dem <span id="3">Ordner</span></span> jetzt.',
  ],
])('elements that return %s are repaired', (_, translated, repaired) => {
  expect(repairTranslation(SOURCE, translated, 'de')).toBe(repaired);
});

test.each([
  ['lost', 'Starte in <span id="2">dem <span id="3">Ordner</span></span>.'],
  [
    'duplicated',
    '<span id="1">a</span> <span id="1">a</span> in <span id="2">dem <span id="3">Ordner</span></span>.',
  ],
  ['not closed', 'Starte <span id="1">npm</span> in <span id="2">dem <span id="3">Ordner</span>.'],
  [
    'closed twice',
    'Starte <span id="1">npm</span></span> in <span id="2">dem <span id="3">Ordner</span></span>.',
  ],
  ['without a number', 'Starte <span>npm</span> in <span id="2">dem <span id="3">Ordner</span></span>.'],
  ['moved into another', '<span id="2"><span id="1">npm</span> dem <span id="3">Ordner</span></span>.'],
  ['moved out of another', '<span id="1">npm</span> <span id="2">dem</span> <span id="3">Ordner</span>.'],
  ['without their text', '<span id="1">npm</span> dem Ordner <span id="2"><span id="3"></span></span>.'],
  [
    'with other elements',
    '<p>Starte <span id="1">npm</span> <span id="2">x <span id="3">y</span></span></p>',
  ],
])('a translation with elements that are %s is rejected', (_, translated) => {
  expect(repairTranslation(SOURCE, translated, 'de')).toBeUndefined();
});

test('text that looks like markup remains text', () => {
  expect(repairTranslation('a &lt;b&gt; &amp; c', 'x &lt;b&gt; &amp; y < z', 'de')).toBe(
    'x &lt;b&gt; &amp; y &lt; z',
  );
});

test('no spaces are inserted in languages without spaces, and none between parts of a word', () => {
  const source = 'See <span id="1">this</span> page';
  expect(repairTranslation(source, 'この<span id="1">これ</span>ページ', 'ja')).toBe(
    'この<span id="1">これ</span>ページ',
  );
  const withinWord = 'un<span id="1">bold</span>ed';
  expect(repairTranslation(withinWord, 'un<span id="1">fett</span>es', 'de')).toBe(
    'un<span id="1">fett</span>es',
  );
});

test('a segment can be translated in parts', () => {
  expect(textParts(SOURCE)).toEqual(['Run', 'in', 'the', 'folder', ', now.']);
  expect(joinParts(SOURCE, ['Starte', 'in', ' dem ', 'Ordner', ', jetzt.'])).toBe(
    'Starte <span id="1" translate="no">1</span> in <span id="2">dem <span id="3">Ordner</span></span>, jetzt.',
  );
  expect(joinParts(SOURCE, ['Starte', '', 'dem', 'Ordner', '.'])).toBeUndefined();
  expect(joinParts(SOURCE, ['Starte', '<span id="9">x</span>', 'dem', 'Ordner', '.'])).toBeUndefined();
});
