import { defineGroup } from "../group.ts";

/** Searching and reading the web. */
export const webGroup = defineGroup(
  "web",
  `
  https?://, www\\., @basic, @search, search, look up, look for, google, browse, web$, website, internet,
  online, news$, latest
  newest, current, recent, today, yesterday, this week, this month, this year, source, citation, cite,
  article, price, who won
  released?$, published, research, find out, happened$, happening$
  suche$, suchen$, such (?:mir|nach|bitte|mal|im), recherch, nachricht, aktuell, neueste, heute, gestern,
  quelle, webseite, netz, artikel, preis
  cherch, actualité, dernier, dernière, nouvelles, aujourd, site$, en ligne, prix
  busc, noticia, últim, ultim, reciente, actual(?!ly), hoy$, ayer$, en línea, sitio, fuente, precio
  cerca$, ricerc, notizi, recent, oggi, ieri, sito, fonte, prezzo
  procur, pesquis, notícia, hoje, ontem, preço
  найд, поищ, поиск, новост, последн, свеж, сегодня, вчера, сейчас, сайт, интернет, источник, цена,
  стоит
  搜索, 搜一, 搜尋, 查一, 查找, 查询, 新闻, 新聞, 最新, 最近, 今天, 昨天, 网上, 網上, 网站, 来源, 价格
  検索, 調べ, ニュース, 今日, 昨日, ネット, サイト, 出典, 値段
  검색, 찾아, 뉴스, 최신, 최근, 오늘, 어제, 인터넷, 사이트, 출처, 가격`,
);
