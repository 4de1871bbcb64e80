import { html } from "hono/html";
import { type Page, part } from "../page.ts";
import { cell, type Html, pick, section, table } from "../render.ts";
import { TEXT, TITLE } from "../texts.ts";
import type { Row } from "../../command.ts";

/** Free gold for fewer days is an alarm, before the first order is refused. */
const DAYS_ALARM = 3;
/** The page fits one screen. */
const MOST_ROWS = 5;

const figure = (label: string, value: Html, more?: Html): Html =>
  html`<div class="figure"><h2>${label}</h2><p>${value}</p>${more ? html`<small>${more}</small>` : ""}</div>`;

/** The figures that load again by themselves. */
export async function live({ run, frame }: Page): Promise<Html> {
  const result = await run("today");
  const { inbox } = frame;
  const { price, trades, position, stock, owed } = result.parts as Record<string, Row>;
  const { refusals } = result.lists as Record<string, readonly Row[]>;
  const alarms = alarmsOf(price!, stock!, inbox);
  return html`
    <div id="live" hx-get="./live" hx-trigger="every 2s" hx-swap="outerMorph"
      hx-nonce="${frame.nonce}" data-at="${Date.now()}">
    ${alarms.length > 0
      ? html`<ul class="alarms" role="status">${alarms.map((one) => html`<li>${one}</li>`)}</ul>`
      : ""}
    <div class="figures">
    ${figure(
      TITLE.partnersBuyAt,
      cell("buy_sar", price!.buy ?? null),
      html`SAR/g, ${cell("market", price!.market!)}`,
    )}
    ${figure(
      TITLE.partnersSellAt,
      cell("sell_sar", price!.sell ?? null),
      price!.spread_basis_points === undefined ? undefined : html`spread ${price!.spread_basis_points} bp`,
    )}
    ${figure(
      TITLE.ordersToday,
      html`${trades!.orders}`,
      html`bought ${cell("grams", trades!.bought_grams!)} g, sold ${cell("grams", trades!.sold_grams!)} g`,
    )}
    ${figure(
      TITLE.position,
      html`${cell("grams", position!.position_grams!)} g`,
      html`${
        position!.limit_grams === null ? TEXT.noLimit : html`limit ${cell("grams", position!.limit_grams!)} g`
      }, open ${cell("grams", position!.open_buys_grams!)} g / ${
        cell("grams", position!.open_sells_grams!)
      } g`,
    )}
    ${figure(
      TITLE.freeGold,
      html`${cell("grams", stock!.free_grams!)} g`,
      html`${cell("grams", stock!.owed_grams!)} g owed of ${cell("grams", stock!.fine_grams!)} g`,
    )}
    ${figure(
      TITLE.owedInSar,
      cell("sar", owed!.sar_available!),
      html`and ${cell("sar", owed!.sar_held!)} held`,
    )}
    </div>
    <div class="triple">
    ${section(
      TITLE.whatWaits,
      html`${
        table(inbox.slice(0, MOST_ROWS).map((item) => pick(item, "waits about next")), TITLE.whatWaits)
      }${inbox.length > MOST_ROWS ? html`<a href="./inbox">${TEXT.more}</a>` : ""}`,
    )}
    ${await part(
      TITLE.newestOrders,
      async () =>
        (await run("order", `--limit=${MOST_ROWS}`)).items!.map((row) =>
          pick(row, "order_id client_id side gold_grams total_sar executed_at")
        ),
    )}
    ${section(TITLE.bindingRefusalsToday, refusals!)}
    </div></div>
  `;
}

/** The business on one screen. */
export async function today(context: Page): Promise<Html> {
  return html`
    <p id="lost" class="failure" role="alert" hidden>${TEXT.lost} <time></time></p>
    ${await live(context)}
        <div class="columns">
        ${section(
          TEXT.price,
          html`<figure class="chart" data-chart="price" data-source="./series.json"><noscript>${TEXT.scriptless}</noscript></figure>`,
        )}
        ${section(
          TEXT.perMinute,
          html`<figure class="chart" data-chart="orders" data-source="./series.json"></figure>`,
        )}
        </div>
  `;
}

/** The market says nothing unusual in these states. If the breaker halted it, the inbox has an item. */
const CALM_MARKETS = ["open", "closed", "halted"];

function alarmsOf({ market }: Row, { free_grams, days_left }: Row, inbox: readonly Row[]): readonly Html[] {
  const isShort = !/^[0-9.]*[1-9]/.test(`${free_grams}`) ||
    typeof days_left === "number" && days_left < DAYS_ALARM;
  return [
    ...(CALM_MARKETS.includes(`${market}`)
      ? []
      : [html`${TEXT.alarm.market}: <a href="./market">${market}</a>`]),
    ...(isShort ? [html`${TEXT.alarm.stock}: <a href="./stock">${days_left ?? 0}</a>`] : []),
    ...inbox.filter(({ waits }) => /halted|disabled|parked/.test(`${waits}`)).map(({ waits, about, next }) =>
      html`${waits}: ${cell("about", about!)} ${cell("next", next!)}`
    ),
  ];
}
