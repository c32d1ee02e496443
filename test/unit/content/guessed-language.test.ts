import { describe, expect, test } from 'vitest';
import { guessLanguage, languageOfText } from '../../../server/content/language/guess.ts';
import { MAX_SAMPLE_CHARACTERS, proseSample } from '../../../server/content/language/prose.ts';

/** Two sentences of documentation in each language. */
const TEXTS = {
  ar: 'لتثبيت البرنامج قم بتنزيل الملف ثم شغّل الأمر. بعد انتهاء التثبيت افتح الإعدادات واختر اللغة.',
  bg: 'За да инсталирате програмата, изтеглете файла и изпълнете командата. След това изберете езика от настройките.',
  cs: 'Chcete-li nainstalovat program, stáhněte soubor a spusťte příkaz. Po dokončení otevřete nastavení a vyberte jazyk.',
  da: 'For at installere programmet skal du hente filen og køre kommandoen. Når installationen er færdig, kan du vælge dit sprog.',
  de: 'Um das Programm zu installieren, laden Sie die Datei herunter. Danach öffnen Sie die Einstellungen und wählen Ihre Sprache.',
  el: 'Για να εγκαταστήσετε το πρόγραμμα, κατεβάστε το αρχείο. Μετά ανοίξτε τις ρυθμίσεις.',
  en: 'Install the program with the package manager. Then open the settings, and select the language of the pages.',
  es: 'Para instalar el programa, descargue el archivo y ejecute el comando. Después abra los ajustes y elija su idioma.',
  fa: 'برای نصب برنامه ابتدا فایل را دانلود کنید و سپس دستور زیر را در پایانه اجرا کنید.',
  fi: 'Asenna ohjelma lataamalla tiedosto ja suorittamalla komento. Kun asennus on valmis, valitse kieli asetuksista.',
  fr: 'Pour installer le programme, téléchargez le fichier. Ouvrez ensuite les réglages et choisissez votre langue.',
  he: 'כדי להתקין את התוכנה הורידו את הקובץ והריצו את הפקודה. לאחר מכן פתחו את ההגדרות.',
  hi: 'प्रोग्राम स्थापित करने के लिए फ़ाइल डाउनलोड करें। फिर सेटिंग खोलें।',
  it: 'Per installare il programma, scarica il file ed esegui il comando. Al termine apri le impostazioni e scegli la lingua.',
  ja: 'プログラムをインストールするには、ファイルをダウンロードしてください。次に設定を開きます。',
  ko: '프로그램을 설치하려면 파일을 내려받으십시오. 그런 다음 설정을 여십시오.',
  nl: 'Download het bestand en voer de opdracht uit om het programma te installeren. Open daarna de instellingen en kies een taal.',
  pl: 'Aby zainstalować program, pobierz plik i uruchom polecenie. Po zakończeniu otwórz ustawienia i wybierz język.',
  pt: 'Para instalar o programa, baixe o arquivo e execute o comando. Depois abra as configurações e escolha o seu idioma.',
  ru: 'Чтобы установить программу, загрузите файл и запустите команду. Затем откройте настройки и выберите язык.',
  sv: 'För att installera programmet, ladda ner filen och kör kommandot. Öppna sedan inställningarna och välj språk.',
  th: 'ในการติดตั้งโปรแกรม ให้ดาวน์โหลดไฟล์ แล้วเปิดการตั้งค่า',
  tr: 'Programı yüklemek için dosyayı indirin ve komutu çalıştırın. Ardından ayarları açıp dilinizi seçin.',
  uk: 'Щоб встановити програму, завантажте файл та запустіть команду. Потім відкрийте налаштування й виберіть мову.',
  ur: 'پروگرام انسٹال کرنے کے لیے فائل ڈاؤن لوڈ کریں اور پھر کمانڈ چلائیں۔ اس کے بعد ترتیبات کھولیں۔',
  vi: 'Để cài đặt chương trình, hãy tải tệp xuống và chạy lệnh. Sau đó mở cài đặt và chọn ngôn ngữ. Bạn cũng có thể thay đổi ngôn ngữ của giao diện bất cứ lúc nào.',
  zh: '要安装程序，请下载文件并运行以下命令。然后打开设置并选择语言。',
};

describe('the language of a space', () => {
  test.each(Object.entries(TEXTS))('is guessed for %s', (language, text) => {
    expect(guessLanguage([proseSample(text)])).toBe(language);
  });

  test('is that of the prose, and not that of code, tags and addresses', () => {
    const markdown = `# ${TEXTS.he.slice(0, 30)}

\`\`\`js
${'const theLanguageOfThisCode = await installation.from("the package manager");\n'.repeat(20)}\`\`\`

{% hint style="info" %}
Docker, Kubernetes \`docker run --rm the-image\` ${TEXTS.he} [הורדה](https://example.com/the/download/of/the/file.html)
{% endhint %}
`;
    const sample = proseSample(markdown);
    expect(sample).not.toMatch(/const|example|hint|docker run/);
    expect(guessLanguage([sample])).toBe('he');
  });

  test('is that of most pages', () => {
    expect(guessLanguage([TEXTS.fr, TEXTS.fr, TEXTS.fr, TEXTS.fr, TEXTS.en.slice(0, 40)])).toBe('fr');
  });

  test.each([
    [[]],
    [['']],
    [['API']],
    [['Home. Download the guide. Page 2.']],
    [[TEXTS.fr.slice(0, 60)]],
    [['1.2.3 — ✓']],
    [['אב']],
  ])('is unknown for %j', (samples) => {
    expect(guessLanguage(samples)).toBeUndefined();
  });
});

test('samples are short, whatever the text', () => {
  for (const text of [
    'a'.repeat(100_000),
    '`'.repeat(100_000),
    '```\n'.repeat(30_000),
    '<'.repeat(100_000),
    'a.'.repeat(50_000),
  ]) {
    expect(proseSample(text).length).toBeLessThanOrEqual(MAX_SAMPLE_CHARACTERS);
  }
  expect(languageOfText('')).toBeUndefined();
});
