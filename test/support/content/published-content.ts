/** Repositories with realistic documentation in three languages, for published sites. */
import { png } from '../pdf/pngs.ts';

/** An English handbook: nested pages, groups, and most kinds of blocks. */
export const handbook = (): Record<string, string | Uint8Array> => ({
  'README.md': `---
description: Everything you need to accept, move and reconcile payments with Meridian.
icon: compass
---

# Introduction

Meridian is a payments platform for teams that care about **correctness**. This guide takes you from a first request to
a production integration, in about an hour. You need an account and a terminal; no payment knowledge is assumed.

{% hint style="info" %}
The sandbox behaves exactly like production, but never moves money. Use it as long as you like.
{% endhint %}

## Where to start

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>Quickstart</strong></td><td>Send a first payment in five minutes.</td><td><a href="guides/quickstart.md">quickstart.md</a></td></tr><tr><td><strong>Webhooks</strong></td><td>React to events as they happen.</td><td><a href="guides/webhooks.md">webhooks.md</a></td></tr><tr><td><strong>Errors</strong></td><td>What went wrong, and how to fix it.</td><td><a href="reference/errors.md">errors.md</a></td></tr></tbody></table>

## How it works

Every payment is a *ledger entry* with two sides. A payment is created, authorized, and then captured or cancelled. Each
step is idempotent: repeat a request with the same key, and it happens once.

![The states of a payment](.gitbook/assets/flow.png)

1. Your server creates a payment, and receives a client secret.
2. The customer confirms it in the browser.
3. Meridian notifies your server, which delivers the goods.

> Money moves at the speed of the slowest bank. Design for \`pending\`.

### Regions

| Region | Currencies | Settlement | Status |
| --- | --- | ---: | --- |
| Europe | EUR, CHF, SEK | 1 day | Available |
| North America | USD, CAD | 2 days | Available |
| Japan | JPY | 3 days | Beta |

## Next steps

Continue with the [quickstart](guides/quickstart.md), or read about [errors](reference/errors.md#retries).
`,
  'guides/README.md': '# Guides\n\nTask-oriented guides.\n',
  'guides/quickstart.md': `---
description: Send a first payment in five minutes, with any language that can make an HTTP request.
---

# Quickstart

## Install the client

{% tabs %}
{% tab title="Node.js" %}
\`\`\`bash
npm install @meridian/client
\`\`\`
{% endtab %}
{% tab title="Python" %}
\`\`\`bash
pip install meridian
\`\`\`
{% endtab %}
{% endtabs %}

## Create a payment

{% code title="payment.ts" lineNumbers="true" %}
\`\`\`typescript
import { Meridian } from '@meridian/client';

const meridian = new Meridian({ key: process.env.MERIDIAN_KEY });

// Amounts are in the smallest unit of the currency.
const payment = await meridian.payments.create({
  amount: 4200,
  currency: 'eur',
  metadata: { order: 'A-1024' },
});

console.log(payment.status); // "requires_confirmation"
\`\`\`
{% endcode %}

{% hint style="warning" %}
Keep the key on your server. Anyone who has it can move money.
{% endhint %}

## Check the fee

The fee of a payment of amount $$a$$ is

$$
f(a) = \\max\\left(25, \\frac{14\\,a}{1000} + 20\\right)
$$

<details>

<summary>Why is there a minimum?</summary>

Card networks charge a fixed amount for each authorization.

</details>

{% embed url="https://example.com/videos/quickstart" %}
`,
  'guides/webhooks.md': `---
description: Receive events, verify their signatures, and survive retries.
---

# Webhooks

Meridian sends an event to your endpoint whenever something happens.

## Verify the signature

\`\`\`python
def verify(body: bytes, signature: str, secret: str) -> bool:
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
\`\`\`

## Retries

Deliveries are repeated for three days, with increasing delays.
`,
  'guides/testing.md': '# Testing\n\nUse the card number `4242 4242 4242 4242` in the sandbox.\n',
  'guides/testing/cards.md': '# Test cards\n\nCards for every outcome.\n',
  'reference/errors.md': `# Errors

## Retries

Repeat requests that fail with \`503\`, after the time in \`Retry-After\`.

## Reasons

| Reason | Status | What to do |
| --- | --- | --- |
| \`card_declined\` | 402 | Ask for another card. |
| \`rate_limited\` | 429 | Wait, then repeat the request. |
`,
  'reference/limits.md': '# Limits\n\nA hundred requests per second and key.\n',
  'reference/secret.md': '---\nhidden: true\n---\n\n# Hidden page\n\nReachable, but in no list.\n',
  'SUMMARY.md': `# Summary

* [Introduction](README.md)

## Guides

* [Quickstart](guides/quickstart.md)
* [Webhooks](guides/webhooks.md)
* [Testing](guides/testing.md)
  * [Test cards](guides/testing/cards.md)

## Reference

* [Errors](reference/errors.md)
* [Limits](reference/limits.md)
* [Hidden page](reference/secret.md)
* [Status](https://status.example.com)
`,
  '.gitbook/assets/flow.png': png(960, 320),
});

/** An Arabic handbook. */
export const arabicHandbook = (): Record<string, string> => ({
  'README.md': `---
description: كل ما تحتاجه لقبول المدفوعات وتحويلها ومطابقتها مع ميريديان.
---

# مقدمة

ميريديان منصة مدفوعات للفرق التي تهتم **بالدقة**. يأخذك هذا الدليل من أول طلب إلى التكامل الكامل خلال ساعة تقريبًا.

{% hint style="info" %}
تعمل البيئة التجريبية تمامًا مثل بيئة الإنتاج، لكنها لا تنقل أي أموال.
{% endhint %}

## من أين تبدأ

1. أنشئ حسابًا واحصل على مفتاح.
2. أرسل أول عملية دفع باستخدام \`curl\`.
3. استقبل الإشعارات على خادمك.

\`\`\`bash
curl https://api.example.com/payments -d amount=4200
\`\`\`

## المناطق

| المنطقة | العملات | التسوية |
| --- | --- | --- |
| أوروبا | EUR | يوم واحد |
| اليابان | JPY | ثلاثة أيام |

تابع مع [البدء السريع](quickstart.md).
`,
  'quickstart.md': '# البدء السريع\n\nأرسل أول عملية دفع خلال خمس دقائق.\n',
  'webhooks.md': '# الإشعارات\n\nيرسل ميريديان حدثًا إلى خادمك.\n',
  'SUMMARY.md':
    '* [مقدمة](README.md)\n\n## الأدلة\n\n* [البدء السريع](quickstart.md)\n* [الإشعارات](webhooks.md)\n',
});

/** A Japanese handbook. */
export const japaneseHandbook = (): Record<string, string> => ({
  'README.md': `---
description: Meridian で決済を受け付け、送金し、照合するために必要なすべて。
---

# はじめに

Meridian は、**正確さ**を重視するチームのための決済プラットフォームです。このガイドでは、最初のリクエストから本番環境への統合までを約一時間で説明します。

{% hint style="success" %}
サンドボックスは本番環境とまったく同じように動作しますが、実際にお金が動くことはありません。
{% endhint %}

## 始め方

1. アカウントを作成し、キーを取得します。
2. 最初の決済を送信します。
3. サーバーで通知を受け取ります。

\`\`\`javascript
const payment = await meridian.payments.create({ amount: 4200, currency: 'jpy' });
\`\`\`

## 対応地域

| 地域 | 通貨 | 入金 |
| --- | --- | --- |
| ヨーロッパ | EUR | 1 日 |
| 日本 | JPY | 3 日 |

続きは[クイックスタート](quickstart.md)をご覧ください。
`,
  'quickstart.md': '# クイックスタート\n\n五分で最初の決済を送信します。\n',
  'SUMMARY.md': '* [はじめに](README.md)\n\n## ガイド\n\n* [クイックスタート](quickstart.md)\n',
});
