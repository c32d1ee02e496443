/** The texts in other languages than English, by language. */

import cs from './latin-script/cs.json' with { type: 'json' };
import da from './latin-script/da.json' with { type: 'json' };
import de from './latin-script/de.json' with { type: 'json' };
import es from './latin-script/es.json' with { type: 'json' };
import et from './latin-script/et.json' with { type: 'json' };
import fi from './latin-script/fi.json' with { type: 'json' };
import fr from './latin-script/fr.json' with { type: 'json' };
import hr from './latin-script/hr.json' with { type: 'json' };
import hu from './latin-script/hu.json' with { type: 'json' };
import id from './latin-script/id.json' with { type: 'json' };
import it from './latin-script/it.json' with { type: 'json' };
import lt from './latin-script/lt.json' with { type: 'json' };
import lv from './latin-script/lv.json' with { type: 'json' };
import ms from './latin-script/ms.json' with { type: 'json' };
import nl from './latin-script/nl.json' with { type: 'json' };
import no from './latin-script/no.json' with { type: 'json' };
import pl from './latin-script/pl.json' with { type: 'json' };
import pt from './latin-script/pt.json' with { type: 'json' };
import ro from './latin-script/ro.json' with { type: 'json' };
import sk from './latin-script/sk.json' with { type: 'json' };
import sl from './latin-script/sl.json' with { type: 'json' };
import sv from './latin-script/sv.json' with { type: 'json' };
import tr from './latin-script/tr.json' with { type: 'json' };
import vi from './latin-script/vi.json' with { type: 'json' };
import ar from './other-scripts/ar.json' with { type: 'json' };
import bg from './other-scripts/bg.json' with { type: 'json' };
import el from './other-scripts/el.json' with { type: 'json' };
import he from './other-scripts/he.json' with { type: 'json' };
import hi from './other-scripts/hi.json' with { type: 'json' };
import ja from './other-scripts/ja.json' with { type: 'json' };
import ko from './other-scripts/ko.json' with { type: 'json' };
import ru from './other-scripts/ru.json' with { type: 'json' };
import th from './other-scripts/th.json' with { type: 'json' };
import uk from './other-scripts/uk.json' with { type: 'json' };
import yue from './other-scripts/yue.json' with { type: 'json' };
import zh from './other-scripts/zh.json' with { type: 'json' };
import type { LanguageTexts } from './texts.ts';

export const TRANSLATIONS: Readonly<Record<string, LanguageTexts>> = {
  ar,
  bg,
  cs,
  da,
  de,
  el,
  es,
  et,
  fi,
  fr,
  he,
  hi,
  hr,
  hu,
  id,
  it,
  ja,
  ko,
  lt,
  lv,
  ms,
  nl,
  no,
  pl,
  pt,
  ro,
  ru,
  sk,
  sl,
  sv,
  th,
  tr,
  uk,
  vi,
  yue,
  zh,
};
