/** Guesses the language of a space from samples of its pages. */
import { francAll } from 'franc';

/** Number of letters that a guess requires. */
const MIN_LETTERS = 12;
/** Number of Latin letters that a guess requires: many languages share them. */
const MIN_LATIN_LETTERS = 70;
/** Minimum length of a text for its likeliest language to be certain. */
const CERTAIN_CHARACTERS = 400;
/**
 * By how much more a shorter text must be like another language than like English, multiplied by its length. Of 1,900
 * English texts of 80 characters, 117 are more like another language, and none by so much.
 */
const DIFFERENCE_FROM_ENGLISH = 18;
/** Share of the letters of a foreign script in texts with terms in Latin letters. */
const MIN_SCRIPT_SHARE = 0.2;
/** Minimum share of the letters in samples that are in the language of a space. */
const MIN_LANGUAGE_SHARE = 0.5;

/** Languages in Latin letters that are recognized, by their codes in ISO 639-3. */
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ eng: 'en', fra: 'fr', deu: 'de', spa: 'es', ita: 'it', por: 'pt', nld: 'nl', pol: 'pl', tur: 'tr' },
    ...{ swe: 'sv', nob: 'no', nno: 'no', dan: 'da', fin: 'fi', ces: 'cs', slk: 'sk', hun: 'hu', ron: 'ro' },
    ...{ vie: 'vi', ind: 'id', hrv: 'hr', lit: 'lt', lav: 'lv', est: 'et', slv: 'sl', cat: 'ca' },
  }),
);

/** Languages by their script. Those that share one differ in letters that only some of them have. */
const SCRIPTS: ReadonlyArray<[script: RegExp, language: (text: string) => string]> = [
  [/\p{Script=Hebrew}/gu, () => 'he'],
  [/\p{Script=Arabic}/gu, arabicLanguage],
  [/\p{Script=Cyrillic}/gu, cyrillicLanguage],
  [/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu, hanLanguage],
  [/\p{Script=Hangul}/gu, () => 'ko'],
  [/\p{Script=Greek}/gu, () => 'el'],
  [/\p{Script=Thai}/gu, () => 'th'],
  [/\p{Script=Devanagari}/gu, () => 'hi'],
  [/\p{Script=Bengali}/gu, () => 'bn'],
  [/\p{Script=Tamil}/gu, () => 'ta'],
  [/\p{Script=Georgian}/gu, () => 'ka'],
  [/\p{Script=Armenian}/gu, () => 'hy'],
];

const count = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

function arabicLanguage(text: string): string {
  if (count(text, /[ٹڈڑےں]/g) * 50 > text.length) {
    return 'ur';
  }
  return count(text, /[پچژگکی]/g) * 40 > text.length ? 'fa' : 'ar';
}

function cyrillicLanguage(text: string): string {
  if (count(text, /[іїєґ]/gi) > count(text, /[ыэёъ]/gi)) {
    return count(text, /[ўы]/gi) > count(text, /[їєґ]/gi) ? 'be' : 'uk';
  }
  return count(text, /ъ/gi) > count(text, /[ыэё]/gi) ? 'bg' : 'ru';
}

function hanLanguage(text: string): string {
  const kana = count(text, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  return kana * 10 > count(text, /\p{Script=Han}/gu) ? 'ja' : 'zh';
}

/** Returns the language of a text as a tag (BCP 47); undefined if it is too short or unknown. */
export function languageOfText(text: string): string | undefined {
  const letters = count(text, /\p{L}/gu);
  let best: { share: number; language: (text: string) => string } | undefined;
  for (const [script, language] of SCRIPTS) {
    const share = count(text, script) / letters;
    if (share >= MIN_SCRIPT_SHARE && share > (best?.share ?? 0)) {
      best = { share, language };
    }
  }
  // A word is a letter in some scripts.
  if (best) {
    return best.share * letters >= MIN_LETTERS / 2 ? best.language(text) : undefined;
  }
  if (letters < MIN_LATIN_LETTERS) {
    return undefined;
  }
  const likely = francAll(text, { only: [...LATIN.keys()], minLength: MIN_LATIN_LETTERS });
  const [[code, score] = ['und', 0]] = likely;
  const [, english = 0] = likely.find(([name]) => name === 'eng') ?? [];
  const isCertain =
    code === 'eng' ||
    text.length >= CERTAIN_CHARACTERS ||
    score - english >= DIFFERENCE_FROM_ENGLISH / text.length;
  return isCertain ? LATIN.get(code) : undefined;
}

/** Returns the language that most of the samples are in; undefined if there is none. */
export function guessLanguage(samples: readonly string[]): string | undefined {
  const letters = new Map<string, number>();
  let total = 0;
  for (const sample of joined(samples)) {
    const language = languageOfText(sample);
    if (language !== undefined) {
      letters.set(language, (letters.get(language) ?? 0) + sample.length);
      total += sample.length;
    }
  }
  const [most] = [...letters].sort(([, left], [, right]) => right - left);
  return most && most[1] >= total * MIN_LANGUAGE_SHARE ? most[0] : undefined;
}

/** Minimum length of joined short samples: a longer text is recognized with more certainty. */
const JOINED_CHARACTERS = 1200;

function joined(samples: readonly string[]): string[] {
  const texts: string[] = [];
  let text = '';
  for (const sample of samples) {
    text = text === '' ? sample : `${text} ${sample}`;
    if (text.length >= JOINED_CHARACTERS) {
      texts.push(text);
      text = '';
    }
  }
  return text === '' ? texts : [...texts, text];
}
