"""Texts: topics of a manual
=========================

The documentation of scikit-learn's some two hundred estimators, which comes with it: how often each says each word,
as logarithms. Counts of words are sparse, and stay sparse here. As no loading is negative, a part never sets one topic
against another: it is a list of words that rise and fall together. The reader finds trees, linear models and
neighbours, which is how the manual's chapters are called.

`See the same in the app </data>`_.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.discovery import all_estimators

import nnspca

texts = [estimator.__doc__ for _, estimator in all_estimators()]
counter = CountVectorizer(stop_words="english", min_df=5, token_pattern=r"[a-z]{4,}")
counts = counter.fit_transform(texts).astype(float)
counts.data = np.log1p(counts.data)

cov = nnspca.Covariance.from_data(counts, names=counter.get_feature_names_out().tolist())
parts = nnspca.decompose(cov, n_components=5, k=7, certify="live")
for part, certificate in zip(parts, parts.certificates, strict=True):
    print(f"{', '.join(part.names)}. {certificate.proven()}")
figure = parts.plot()
