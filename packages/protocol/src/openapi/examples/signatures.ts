// Written by npm run docs: the signatures of the example requests, by operation and example. The key is the
// public example key of RFC 6979, A.2.5.
export const SIGNATURES: Readonly<Record<string, string>> = {
  "probeSignature valid":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..uKsiXeSM2Jay6s82Qdt-ktIS7-aL7_Lc-_WuiKnCW58GXVoveWW0D3hp4QAgjcBqlmdKMOuY5xTOV44Ep5fDSw",
  "probeSignature path_signed":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..RkVipU3GZj3L6FB9KaheS5EeXF60LFcLjtPN9UH5A_wdw_YqVp6_uAy9ZrxKuYOIH8h9OsB3eqUCQKCDfvAyNQ",
  "requestChange signing_key":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..tdBPVUFFwdeiNP0TPiMC3J6xjFdBUdIRSDT0bdKzihNNEa4WUWPFGnXEYjZcMg4m455JqYTLZ1jN1vNBIz3xMg",
  "requestChange certificate_request":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..W21-OgxFB3qkxoJwmRGXH_Ebb9F1uxCBH93aawctb-xfNvC0-TPoJjtFQdb4TIV5K1k7ORHk3WTz8S5FXIbnSQ",
  "requestChange ip_range":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..ZX4_scbGhLtdWCR-fGLK8rEWckqq_Mt5g9EJJ6FmSAY787ZS9VCmtCyOzH0fEWW2128OfgLMd0VeQRbF8crnPw",
  "createOrder buy":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..sAqKPSaUYY9qRoMPODne9K06xVXw51A9SdNrtGfj2ENeqr10ypJ766Jgr6_jtQ_McL-fXLSMHqD_WeimNvovDQ",
  "createOrder sell":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..GMLFcXQ8cIAyEkDo-Y-ZTOkv50IWeO3lVWg2mBYkEp1xAjhZykhlBN8x829dpc08UFJWTEK1jGu3W-Z0-Cvmgg",
  "createWithdrawal withdrawal":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..vm7G7jUp7Pzq259inHLzKe_zHZcR0-04dvZRa4xjOLEnw2h61Aa7VNSHYqgGPYFLgWQ2WILfazhkAM8XKwfDLQ",
  "cancelWithdrawal cancelled":
    "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..FDC7PNcU8v50ClIl4AYUjWScUw47d8Lv3mZKBA24o71bRtbeJILnla40xlhw4Y1wsu2ElwhximrVHIsnR1MffA",
};
