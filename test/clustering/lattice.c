// One step of a lattice-Boltzmann method in three dimensions with 19 velocities (D3Q19): each inner node pulls the populations
// that stream to it from its neighbours, and relaxes them towards the equilibrium of their density and velocity (Bhatnagar, Gross
// and Krook), of second order in the velocity as in Qian, d'Humieres and Lallemand 1992. A basic block of 19 stores that share
// many scalars, for the benchmark `clustering`. Names: east and west along x, north and south along y, top and bottom along z,
// and their initials for diagonals.

void lattice(int nx, int ny, int nz, double rate, double from[restrict nz][ny][nx][19],
             double to[restrict nz][ny][nx][19]) {
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        double rest = from[z][y][x][0];
        double east = from[z][y][x - 1][1];
        double west = from[z][y][x + 1][2];
        double north = from[z][y - 1][x][3];
        double south = from[z][y + 1][x][4];
        double top = from[z - 1][y][x][5];
        double bottom = from[z + 1][y][x][6];
        double ne = from[z][y - 1][x - 1][7];
        double sw = from[z][y + 1][x + 1][8];
        double se = from[z][y + 1][x - 1][9];
        double nw = from[z][y - 1][x + 1][10];
        double te = from[z - 1][y][x - 1][11];
        double bw = from[z + 1][y][x + 1][12];
        double be = from[z + 1][y][x - 1][13];
        double tw = from[z - 1][y][x + 1][14];
        double tn = from[z - 1][y - 1][x][15];
        double bs = from[z + 1][y + 1][x][16];
        double bn = from[z + 1][y - 1][x][17];
        double ts = from[z - 1][y + 1][x][18];

        double to_east = east + ne + se + te + be;
        double to_west = west + sw + nw + bw + tw;
        double density = to_east + to_west + rest + north + south + top + bottom +
                         tn + bs + bn + ts;
        double u = (to_east - to_west) / density;
        double v = (north + ne + nw + tn + bn - south - sw - se - bs - ts) / density;
        double w = (top + te + tw + tn + ts - bottom - bw - be - bs - bn) / density;

        double still = 1 - 1.5 * (u * u + v * v + w * w);
        double straight = density / 18, diagonal = density / 36;
        double even_east = straight * (still + 4.5 * u * u), odd_east = 3 * straight * u;
        double even_north = straight * (still + 4.5 * v * v), odd_north = 3 * straight * v;
        double even_top = straight * (still + 4.5 * w * w), odd_top = 3 * straight * w;
        double along_ne = u + v;
        double even_ne = diagonal * (still + 4.5 * along_ne * along_ne), odd_ne = 3 * diagonal * along_ne;
        double along_se = u - v;
        double even_se = diagonal * (still + 4.5 * along_se * along_se), odd_se = 3 * diagonal * along_se;
        double along_te = u + w;
        double even_te = diagonal * (still + 4.5 * along_te * along_te), odd_te = 3 * diagonal * along_te;
        double along_be = u - w;
        double even_be = diagonal * (still + 4.5 * along_be * along_be), odd_be = 3 * diagonal * along_be;
        double along_tn = v + w;
        double even_tn = diagonal * (still + 4.5 * along_tn * along_tn), odd_tn = 3 * diagonal * along_tn;
        double along_bn = v - w;
        double even_bn = diagonal * (still + 4.5 * along_bn * along_bn), odd_bn = 3 * diagonal * along_bn;

        to[z][y][x][0] = rest + rate * (density / 3 * still - rest);
        to[z][y][x][1] = east + rate * (even_east + odd_east - east);
        to[z][y][x][2] = west + rate * (even_east - odd_east - west);
        to[z][y][x][3] = north + rate * (even_north + odd_north - north);
        to[z][y][x][4] = south + rate * (even_north - odd_north - south);
        to[z][y][x][5] = top + rate * (even_top + odd_top - top);
        to[z][y][x][6] = bottom + rate * (even_top - odd_top - bottom);
        to[z][y][x][7] = ne + rate * (even_ne + odd_ne - ne);
        to[z][y][x][8] = sw + rate * (even_ne - odd_ne - sw);
        to[z][y][x][9] = se + rate * (even_se + odd_se - se);
        to[z][y][x][10] = nw + rate * (even_se - odd_se - nw);
        to[z][y][x][11] = te + rate * (even_te + odd_te - te);
        to[z][y][x][12] = bw + rate * (even_te - odd_te - bw);
        to[z][y][x][13] = be + rate * (even_be + odd_be - be);
        to[z][y][x][14] = tw + rate * (even_be - odd_be - tw);
        to[z][y][x][15] = tn + rate * (even_tn + odd_tn - tn);
        to[z][y][x][16] = bs + rate * (even_tn - odd_tn - bs);
        to[z][y][x][17] = bn + rate * (even_bn + odd_bn - bn);
        to[z][y][x][18] = ts + rate * (even_bn - odd_bn - ts);
      }
}
