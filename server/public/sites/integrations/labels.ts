/** Texts around the blocks of integrations: to apply a change, to cancel an action, and instead of a block. */
type Texts = readonly [apply: string, cancel: string, failed: string];

const ENGLISH: Texts = ['Apply', 'Cancel', 'This block cannot be shown at the moment.'];

const TRANSLATIONS: Readonly<Record<string, Texts>> = {
  ar: ['تطبيق', 'إلغاء', 'لا يمكن عرض هذه الكتلة حاليًا.'],
  bg: ['Приложи', 'Отказ', 'Този блок не може да бъде показан в момента.'],
  cs: ['Použít', 'Zrušit', 'Tento blok teď nelze zobrazit.'],
  da: ['Anvend', 'Annuller', 'Denne blok kan ikke vises i øjeblikket.'],
  de: ['Anwenden', 'Abbrechen', 'Dieser Block kann zurzeit nicht angezeigt werden.'],
  el: ['Εφαρμογή', 'Ακύρωση', 'Αυτό το μπλοκ δεν μπορεί να εμφανιστεί αυτή τη στιγμή.'],
  es: ['Aplicar', 'Cancelar', 'Este bloque no se puede mostrar en este momento.'],
  et: ['Rakenda', 'Tühista', 'Seda plokki ei saa praegu kuvada.'],
  fi: ['Käytä', 'Peruuta', 'Tätä lohkoa ei voi näyttää juuri nyt.'],
  fr: ['Appliquer', 'Annuler', 'Ce bloc ne peut pas être affiché pour le moment.'],
  he: ['החלה', 'ביטול', 'לא ניתן להציג את הבלוק הזה כרגע.'],
  hi: ['लागू करें', 'रद्द करें', 'यह ब्लॉक अभी नहीं दिखाया जा सकता।'],
  hr: ['Primijeni', 'Odustani', 'Ovaj se blok trenutačno ne može prikazati.'],
  hu: ['Alkalmaz', 'Mégse', 'Ez a blokk jelenleg nem jeleníthető meg.'],
  id: ['Terapkan', 'Batal', 'Blok ini tidak dapat ditampilkan saat ini.'],
  it: ['Applica', 'Annulla', 'Al momento questo blocco non può essere mostrato.'],
  ja: ['適用', 'キャンセル', 'このブロックは現在表示できません。'],
  ko: ['적용', '취소', '지금은 이 블록을 표시할 수 없습니다.'],
  lt: ['Taikyti', 'Atšaukti', 'Šio bloko šiuo metu negalima parodyti.'],
  lv: ['Lietot', 'Atcelt', 'Šo bloku pašlaik nevar parādīt.'],
  ms: ['Guna', 'Batal', 'Blok ini tidak dapat dipaparkan buat masa ini.'],
  nl: ['Toepassen', 'Annuleren', 'Dit blok kan op dit moment niet worden weergegeven.'],
  no: ['Bruk', 'Avbryt', 'Denne blokken kan ikke vises akkurat nå.'],
  pl: ['Zastosuj', 'Anuluj', 'Tego bloku nie można teraz wyświetlić.'],
  pt: ['Aplicar', 'Cancelar', 'De momento, este bloco não pode ser mostrado.'],
  ro: ['Aplică', 'Anulează', 'Acest bloc nu poate fi afișat momentan.'],
  ru: ['Применить', 'Отмена', 'Сейчас этот блок не может быть показан.'],
  sk: ['Použiť', 'Zrušiť', 'Tento blok teraz nie je možné zobraziť.'],
  sl: ['Uporabi', 'Prekliči', 'Tega bloka trenutno ni mogoče prikazati.'],
  sv: ['Använd', 'Avbryt', 'Blocket kan inte visas just nu.'],
  th: ['ใช้', 'ยกเลิก', 'ขณะนี้ไม่สามารถแสดงบล็อกนี้ได้'],
  tr: ['Uygula', 'İptal', 'Bu blok şu anda gösterilemiyor.'],
  uk: ['Застосувати', 'Скасувати', 'Зараз цей блок не можна показати.'],
  vi: ['Áp dụng', 'Hủy', 'Hiện không thể hiển thị khối này.'],
  yue: ['套用', '取消', '暫時無法顯示呢個區塊。'],
  zh: ['应用', '取消', '目前无法显示此区块。'],
};

export interface BlockLabels {
  apply: string;
  cancel: string;
  failed: string;
  close: string;
}

/** Returns the texts in the language of the view, or in English. */
export function blockLabelsOf({ language, close }: { language: string; close: string }): BlockLabels {
  const [primary = ''] = language.toLowerCase().split('-');
  const [apply, cancel, failed] = TRANSLATIONS[primary] ?? ENGLISH;
  return { apply, cancel, failed, close };
}
